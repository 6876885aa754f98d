"""Telling what a model thinks from what it says, in pieces as they stream in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui.memory.texts import clean
from memtui.minds.base import Delta

_OPEN: Final = ("<thinking>", "<think>")
_CLOSE: Final = ("</thinking>", "</think>")
_CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_CLOSING_LINE = re.compile(r"^[ \t]*</think(?:ing)?>", re.IGNORECASE | re.MULTILINE)
_LEADING = re.compile(r"\A(?:\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z))+\s*", re.IGNORECASE | re.DOTALL)


class StreamText:
    """Cleans streamed text: joins surrogate pairs and CR LF that two deltas tore apart, replaces lone surrogates."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What can be said so far."""
        whole = self._held + text
        torn = whole[-1:] == "\r" or "\ud800" <= whole[-1:] <= "\udbff"
        self._held = whole[-1:] if torn else ""
        return _joined(whole[:-1] if torn else whole)

    def finish(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return _joined(held)


def _joined(text: str) -> str:
    return clean(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text)


class ThinkingSplitter:
    """Splits a stream of text into thinking and reply.

    Only a block at the beginning is thinking (`<think>` further down is a word the model says). Some servers open the block
    in the prompt, so that only `</think>` is ever seen: `stray_close` tells that it was, and `starts_inside` makes the next
    stream of that endpoint begin inside the block.
    """

    def __init__(self, *, starts_inside: bool = False) -> None:
        self.stray_close = False
        self._held = ""
        self._line = ""
        self._state = "inside" if starts_inside else "before"

    @property
    def unclosed(self) -> bool:
        """Whether the text so far ends inside a thinking block."""
        return self._state == "inside"

    def feed(self, text: str) -> Iterator[Delta]:
        """The deltas that `text` completes; what may be half a tag is held back."""
        self._held += text
        while self._held:
            before = (self._state, self._held)
            if self._state == "before":
                self._look_for_open()
            elif self._state == "inside":
                yield from self._inside()
            else:
                yield from self._said()
            if (self._state, self._held) == before:
                return

    def finish(self) -> Iterator[Delta]:
        """What was held back."""
        held, self._held = self._held, ""
        if held.strip() or (held and self._state == "saying"):
            yield Delta(held, thinking=self._state == "inside")

    def _look_for_open(self) -> None:
        start = self._held.lstrip()
        for tag in _OPEN:
            if start.lower().startswith(tag):
                self._held, self._state = start[len(tag) :], "inside"
                return
        if not start or any(tag.startswith(start.lower()) for tag in _OPEN):
            self._held = start  # may still become a tag
            return
        self._held, self._state = start, "saying"

    def _inside(self) -> Iterator[Delta]:
        close = _CLOSING.search(self._held)
        if close is not None:
            thought, self._held = self._held[: close.start()], self._held[close.end() :]
            self._state = "before"
        else:
            thought, self._held = _hold_back(self._held)
        if thought:
            yield Delta(thought, thinking=True)

    def _said(self) -> Iterator[Delta]:
        text, self._held = _hold_back(self._held)
        whole = self._line + text
        close = None if self.stray_close else _CLOSING_LINE.search(whole)
        if close is not None:
            self.stray_close = True
            text = whole[len(self._line) : close.start()] + whole[max(close.end(), len(self._line)) :]
        self._line = whole.rpartition("\n")[2][-80:]
        if text:
            yield Delta(text)


def _hold_back(text: str) -> tuple[str, str]:
    """`text` without an end that may be the beginning of a closing tag, and that end."""
    at = text.rfind("<", max(0, len(text) - len(_CLOSE[0]) + 1))
    if at >= 0 and any(tag.startswith(text[at:].lower()) and tag != text[at:].lower() for tag in _CLOSE):
        return text[:at], text[at:]
    return text, ""


def without_thinking(text: str) -> str:
    """A whole answer without its leading thinking blocks (an unclosed one takes everything), or without all that precedes a
    closing tag on a line of its own that was never opened."""
    said = _LEADING.sub("", text)
    if said == text and "<think" not in text.lower():
        for close in _CLOSING_LINE.finditer(text):
            said = text[close.end() :]
    return said
