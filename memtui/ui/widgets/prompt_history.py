"""What was sent before, walked with up and down; a text that was begun waits at the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MOST: Final = 200


class PromptHistory:
    """Sent texts, oldest first, and a place among them.

    An entry that was changed while walking keeps its changes until something is sent.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = list(texts)[-MOST:]
        self._edits: dict[int, str] = {}
        self._at = len(self._texts)

    @property
    def texts(self) -> list[str]:
        """What was sent, oldest first."""
        return list(self._texts)

    def sent(self, text: str) -> None:
        """A text was sent: it is the newest, and the place is after it."""
        if text and (not self._texts or self._texts[-1] != text):
            self._texts = [*self._texts, text][-MOST:]
        self._edits.clear()
        self._at = len(self._texts)

    def older(self, current: str) -> str | None:
        """The entry before, given what stands in the prompt now; None at the beginning."""
        return self._go(self._at - 1, current)

    def newer(self, current: str) -> str | None:
        """The entry after; at the end what was begun there; None beyond."""
        return self._go(self._at + 1, current)

    def _go(self, at: int, current: str) -> str | None:
        if not 0 <= at <= len(self._texts):
            return None
        self._edits[self._at] = current
        self._at = at
        return self._edits.get(at, self._texts[at] if at < len(self._texts) else "")
