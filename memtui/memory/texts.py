"""Text as memory keeps it: cleaned, normalised and masked.

`clean` makes any string storable (lone surrogates, NUL); `same_key` decides whether two texts are the same telling;
`mask_secrets` takes out what must never reach a disk.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

MASK: Final = "[secret removed]"

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_NOT_WORD = re.compile(r"[\W_]+", re.UNICODE)
_SECRETS: Final[tuple[re.Pattern[str], ...]] = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
    re.compile(r"\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abposr]-[A-Za-z0-9-]{10,}|\bhf_[A-Za-z0-9]{20,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)
_SPOKEN_SECRET = re.compile(
    r"(?P<lead>\b(?:pass\s?word|pass\s?phrase|passwd|api[ _-]?key|secret[ _-]?key|access[ _-]?token|пароль|секретный ключ)"
    r"(?:\s+(?:for|to|от|для|к|на)\s+[\w.@-]+(?:\s+[\w.@-]+)?)?"
    r"(?:\s*(?:(?:is|are|это)\b|[=:—-])){1,2}+\s*+)(?![\"'«“]?\[secret removed\])"
    r"(?P<secret>[\"'«“][^\"'«»“”\n]{3,200}[\"'»”]|[\"'«“]?[^\s\"'»”,;]{3,})",
    re.IGNORECASE,
)


def clean(text: str) -> str:
    """`text` in NFC, with lone surrogates replaced and control characters (but tab and newlines) dropped."""
    whole = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
    whole = whole.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _CONTROL.sub("", whole))


def content_hash(text: str) -> str:
    """SHA-256 (hex) of the NFC form of `text`: how events name a content."""
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()


def same_key(text: str) -> str:
    """What two tellings must share to be exact duplicates: case, punctuation, spacing and ё folded (NFKC)."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")
    return _NOT_WORD.sub(" ", folded).strip()


def mask_secrets(text: str) -> tuple[str, int]:
    """`text` with keys, tokens and spoken passwords replaced by `MASK`, and how many were.

    Door codes and the like are no secrets of this kind: they are what people want remembered.
    """
    found = 0
    for pattern in _SECRETS:
        text, n = pattern.subn(MASK, text)
        found += n

    def hide(match: re.Match[str]) -> str:
        return match["lead"] + MASK

    text, n = _SPOKEN_SECRET.subn(hide, text)
    return text, found + n


def one_line(text: str, width: int) -> str:
    """The first `width` characters of `text` on one line, for lists and messages."""
    flat = " ".join(text[: width * 8].split())
    return flat if len(flat) <= width else flat[: max(0, width - 1)] + "…"
