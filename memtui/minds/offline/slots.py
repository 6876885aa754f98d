"""The typed slots a fact about a person can fill.

A slot is what a question asks for ("Which city do I live in?" asks for `residence`) and what a statement answers, often
without naming it ("keys to the new flat, third floor"). The offline mind keeps a *posterior* over slots for every memory
and every question; their inner product is a retrieval signal that words and sentence vectors do not have.
"""

from __future__ import annotations

from typing import Final

SINGLE_VALUED: Final[tuple[str, ...]] = (
    "residence",
    "employer",
    "role",
    "income",
    "work_schedule",
    "partner",
    "age",
    "name",
    "diet",
    "body_size",
    "smoking_alcohol",
    "coffee_tea",
    "phone_contact",
    "code",
    "deadline",
    "vehicle",
    "commute",
    "insurance_bank",
    "legal_status",
    "time_zone",
    "main_tool",
    "programming_language",
    "device",
    "bedtime",
    "answer_style",
)
"""Slots that hold one value at a time for one subject: a newer value competes with the older."""

MULTI_VALUED: Final[tuple[str, ...]] = (
    "origin",
    "education",
    "spoken_language",
    "children",
    "family",
    "pet",
    "friend",
    "birthday",
    "allergy",
    "health_condition",
    "medication",
    "doctor",
    "sport",
    "favourite_food",
    "hobby",
    "music",
    "books_films",
    "project",
    "meeting",
    "travel",
    "home_detail",
    "where_things_are",
    "goal",
    "belief",
    "dislike_fear",
    "event_plan",
)
"""Slots that may hold several values at once."""

SLOTS: Final[tuple[str, ...]] = SINGLE_VALUED + MULTI_VALUED
"""Every slot, in the order of the columns of a posterior."""

NO_SLOT: Final = "none"
"""The class of what fills no slot; its posterior mass is dropped."""
