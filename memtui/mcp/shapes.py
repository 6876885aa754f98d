"""The arguments of the tools: checked before anything is done, and told to clients as JSON schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from memtui.memory.skill import LONGEST_FIELD, LONGEST_SLUG, LONGEST_TITLE

LONGEST_TEXT = 600
"""Characters of one memory (see `chat.turning.LONGEST_MEMORY`)."""

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
Reference = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TITLE)]
Part = Annotated[str, StringConstraints(max_length=LONGEST_FIELD)]
Slug = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_SLUG)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
KindName = Literal["episodic", "semantic", "consolidated", "procedural"]
OutcomeName = Literal["success", "partial", "failure"]


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are errors."""

    model_config = ConfigDict(extra="forbid", strict=False)


class Search(Arguments):
    """What `mem_search` takes."""

    query: Words = Field(description="Words to search by, in English or Russian; meaning counts too.")
    kind: KindName | None = Field(None, description="Only memories of this kind; procedural ones are skills.")
    limit: int = Field(10, ge=1, le=50)
    retired: bool = Field(False, description="Search what was retired or archived too.")


class Recall(Arguments):
    """What `mem_recall` takes."""

    query: Words = Field(description="The task at hand, an error message, a question.")
    limit: int = Field(5, ge=1, le=20, description="At most so many skills.")
    what: Literal["all", "skills", "facts"] = "all"


class Get(Arguments):
    """What `mem_get` takes."""

    ref: Reference = Field(description="A skill's slug, an id, or a number such as m31.")


class Listing(Arguments):
    """What `mem_list` takes."""

    kind: KindName | None = None
    retired: bool = Field(False, description="Retired and archived ones too.")
    sort: Literal["strength", "newest"] = "strength"
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0)


class Write(Arguments):
    """What `mem_write` takes."""

    text: Text = Field(description="One self-contained fact or event, in the person's language.")
    kind: Literal["episodic", "semantic"] = Field("semantic", description="semantic: lasting; episodic: what happened.")
    importance: Share = 0.5
    subject: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)] = "user"
    force: bool = Field(False, description="Write it although something much like it is there.")


class Update(Arguments):
    """What `mem_update` takes."""

    ref: Reference = Field(description="A skill's slug, an id, or a number such as m31.")
    text: Text | None = Field(None, description="A fact's new text; the old one stays in its history.")
    kind: Literal["episodic", "semantic"] | None = None
    importance: Share | None = None
    title: Title | None = Field(None, description="Skills only, as are trigger, steps, lessons, outcome and slug.")
    trigger: Part | None = None
    steps: Part | None = None
    lessons: Part | None = None
    outcome: OutcomeName | None = None
    slug: Slug | None = None


class Learn(Arguments):
    """What `mem_learn` takes."""

    title: Title
    trigger: Part = Field("", description="When it helps: the situation, the message, the command.")
    steps: Part = Field("", description="What to do, Markdown.")
    outcome: OutcomeName = "success"
    lessons: Part = ""
    slug: Slug = Field("", description="Its name; made of the title if left out.")
    force: bool = Field(False, description="Learn it although a skill much like it is there.")


class Reinforce(Arguments):
    """What `mem_reinforce` takes."""

    ref: Reference
    worked: bool = Field(True, description="false: it was tried and failed, which weakens a skill.")
    note: Annotated[str, StringConstraints(max_length=2_000)] = Field("", description="What there is to say of it.")


class Pin(Arguments):
    """What `mem_pin` takes."""

    ref: Reference
    pinned: bool = True


def schema_of(shape: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    schema = shape.model_json_schema()
    schema.pop("description", None)
    schema.pop("title", None)
    return schema


def said_of(error: ValidationError) -> str:
    """What is wrong with arguments, in a sentence an agent can act on; the values are not repeated."""
    problems = []
    for one in error.errors(include_url=False, include_input=False, include_context=False)[:5]:
        where = ".".join(str(part) for part in one["loc"]) or "arguments"
        problems.append(f"{where}: {one['msg'][:1].lower()}{one['msg'][1:]}")
    return "; ".join(problems) + "."
