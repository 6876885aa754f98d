"""What if this memory lived by other settings: a branch of an open memory, grown in memory alone (`memory.branch`)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.chat.nights import nights_between
from memtui.chat.policy import apart, law_of
from memtui.memory.branch import Branch, KeepGoing, grow_branch
from memtui.memory.laws import Law
from memtui.memory.laws.stability import StabilityLaw

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.config import Settings


def other_law(companion: Companion, settings: Settings) -> Law:
    """The law of `settings`, which knows of the running task as the companion's own does."""
    if settings.memory == companion.settings.memory:
        return companion.law
    law, own = law_of(settings), companion.law.law
    if isinstance(law, StabilityLaw) and isinstance(own, StabilityLaw):
        law = replace(law, task=own.task)
    return apart(law, settings)


def what_if(
    companion: Companion, settings: Settings, *, until: datetime | None = None, keep_going: KeepGoing | None = None
) -> Branch | None:
    """The companion's memory as it would be at `until` (now by default) under the law of `settings`.

    Asks no mind and changes nothing. Takes a moment per thousand events: call it in a thread. The events are taken as they
    stand when it is called.

    Args:
        keep_going: told the share that is done; False ends the work and None is returned.
    """
    moment = companion.clock.now() if until is None else until
    return grow_branch(
        companion.store.events(),
        companion.store.text,
        trunk_law=companion.law,
        law=other_law(companion, settings),
        policy=companion.sleep_policy,
        until=moment,
        nights=_all_nights if companion.settings.sleep.nightly else None,
        keep_going=keep_going,
    )


def _all_nights(since: datetime, until: datetime) -> list[datetime]:
    return nights_between(since, until)
