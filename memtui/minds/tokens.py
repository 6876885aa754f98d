"""Counting tokens with no network, and saying with which encoding."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tiktoken

ENCODING: Final = "cl100k_base"
"""The encoding counts are made with (from the offline copy)."""
_LONGEST: Final = 50_000
"""Characters that are really counted; beyond, the rest is estimated from them (tiktoken is slow on huge texts)."""


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    import tiktoken

    return tiktoken.get_encoding(f"{ENCODING}_offline")


@lru_cache(maxsize=20_000)
def count_tokens(text: str) -> int:
    """Tokens of `text` in `ENCODING`; special-token text counts as plain text."""
    if len(text) > _LONGEST:
        return count_tokens(text[:_LONGEST]) * len(text) // _LONGEST
    return len(_encoding().encode(text, disallowed_special=()))
