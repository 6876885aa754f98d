"""Ending a reply where the model runs on past it: at a mark of a chat template, or when it goes round in circles.

Models served with a wrong template (and base models always) end their turn with words nobody reads as an end: `<|im_end|>`,
`[INST]`, then the prompt over again, without end. What was said before it is the reply.
"""

from __future__ import annotations

import re
from typing import Final

from memtui.minds.prompts import TEMPLATE_MARK

_HELD: Final = 34
"""Characters that may be the beginning of a mark."""
_HALF = re.compile(r"(?:<[^<>\s]*|<\|[\w ]*\|?|<<[/\w]*>?|\[/?\w*)\Z")
_TAIL: Final = 120
_ROUNDS: Final = 20
"""How often the same `_TAIL` characters come before it is a circle."""
_STEP: Final = 500
"""Characters between two looks for a circle."""
_WORDS: Final = 4
"""Different words a repeated piece must have: a ruled line is no circle."""


class RunningOn:
    """Passes a stream of text through until the model runs on; `ended` is set then, and the rest is not to be said."""

    def __init__(self) -> None:
        self.ended = False
        self._said = ""
        self._held = ""
        self._looked = 0

    def feed(self, text: str) -> str:
        """What may be said of the text so far; what may be half a mark is held back."""
        whole = self._held + text
        for mark in TEMPLATE_MARK.finditer(whole):
            before = self._said + whole[: mark.start()]
            if before.count("`") % 2 == 0:  # inside backticks somebody writes about templates
                self.ended = True
                self._held = ""
                return whole[: mark.start()].rstrip() if before.strip() else ""
        half = _HALF.search(whole, max(0, len(whole) - _HELD))
        said, self._held = (whole[: half.start()], whole[half.start() :]) if half else (whole, "")
        self._said += said
        self.ended = self._in_circles()
        return said

    def finish(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return "" if self.ended else held

    def _in_circles(self) -> bool:
        if len(self._said) - self._looked < _STEP:
            return False
        self._looked = len(self._said)
        tail = self._said[-_TAIL:]
        return len(set(tail.split())) >= _WORDS and self._said.count(tail) >= _ROUNDS
