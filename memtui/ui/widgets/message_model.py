"""What the transcript shows, as data: finished messages, and one message with its state while it is being written."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memtui.ui.widgets.recall_lines import RecallLine

Role = Literal["user", "reply", "notice"]
NoticeKind = Literal["info", "sleep", "warp", "import", "error", "command"]
State = Literal["writing", "done", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class FinishedMessage:
    """A message that is complete, as a session switch loads it.

    Attributes:
        role: who said it; `notice` is the program itself.
        text: raw, as it is stored; anything may be in it.
        id: turn id, `""` for notices.
        at: aware; None if it has no time of its own.
        masked: how many secrets were taken out of it before it was kept.
        tokens: what the header says of tokens, such as `44 of 170 tok`.
        memories: what went into the prompt, best first.
        thinking: the model's thinking, shown folded.
        thinking_s: seconds it thought, 0 if unknown.
        interrupted: whether the reply was cut short.
        error: why there is no (whole) reply.
        kind: of a notice.
    """

    role: Role
    text: str
    id: str = ""
    at: datetime | None = None
    masked: int = 0
    tokens: str = ""
    memories: tuple[RecallLine, ...] = ()
    thinking: str = ""
    thinking_s: float = 0.0
    interrupted: bool = False
    error: str = ""
    kind: NoticeKind = "info"


@dataclass(slots=True)
class MessageData:
    """One message of the transcript; like `FinishedMessage`, and it may still be growing.

    Attributes:
        recalled: whether `memories` is known at all (a reply being written does not know yet).
        started_s, first_s: on the transcript's clock: when the reply began, and when its text did (0: not yet).
        memories_open: what the person chose; None: open if it is the last reply.
        opened: whether all of a huge text is shown.
    """

    role: Role
    id: str = ""
    at: datetime | None = None
    masked: int = 0
    tokens: str = ""
    memories: tuple[RecallLine, ...] = ()
    recalled: bool = False
    thinking_s: float = 0.0
    error: str = ""
    kind: NoticeKind = "info"
    state: State = "done"
    started_s: float = 0.0
    first_s: float = 0.0
    memories_open: bool | None = None
    thinking_open: bool = False
    opened: bool = False
    is_last: bool = False
    _text: list[str] = field(default_factory=list)
    _thinking: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, message: FinishedMessage) -> MessageData:
        """The state of a message that is complete."""
        state: State = "failed" if message.error else "interrupted" if message.interrupted else "done"
        return cls(
            role=message.role,
            id=message.id,
            at=message.at,
            masked=message.masked,
            tokens=message.tokens,
            memories=message.memories,
            recalled=message.role == "reply",
            thinking_s=message.thinking_s,
            error=message.error,
            kind=message.kind,
            state=state,
            _text=[message.text],
            _thinking=[message.thinking] if message.thinking else [],
        )

    @property
    def text(self) -> str:
        """All of the raw text so far."""
        if len(self._text) > 1:
            self._text = ["".join(self._text)]
        return self._text[0] if self._text else ""

    @text.setter
    def text(self, text: str) -> None:
        self._text = [text]

    @property
    def thinking(self) -> str:
        """All of the raw thinking so far."""
        if len(self._thinking) > 1:
            self._thinking = ["".join(self._thinking)]
        return self._thinking[0] if self._thinking else ""

    def add(self, text: str, *, thinking: bool) -> None:
        """Take in a piece of the stream; costs nothing, draws nothing."""
        (self._thinking if thinking else self._text).append(text)

    @property
    def shows_memories(self) -> bool:
        """Whether the memories stand in rows of their own rather than in one line."""
        return self.is_last if self.memories_open is None else self.memories_open
