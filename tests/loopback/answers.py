"""Plausible answers for when a test does not say: a server one can chat with."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

TASKS: Final = ("reply", "extract", "judge", "summarize", "grade", "probe")
"""The chat calls a mind makes."""
_TURN = re.compile(r"<turn\b[^>]*>\n?(.*?)\n?</turn>", re.DOTALL)
_SOURCE = re.compile(r"<source\b[^>]*>\n?(.*?)\n?</source>", re.DOTALL)
_PAIR = re.compile(r"<pair n=\"(\d+)\">")
_EXPECTED = re.compile(r"<expected>\n?(.*?)\n?</expected>", re.DOTALL)
_REPLY = re.compile(r"<reply>\n?(.*?)\n?</reply>", re.DOTALL)


def task_of(body: Mapping[str, Any]) -> str:
    """Which of `TASKS` a chat request is, by the first line of its system message."""
    messages = body.get("messages") or [{}]
    found = re.match(r"Task: (\w+)", str(messages[0].get("content", "")))
    return found[1] if found and found[1] in TASKS else "reply"


def plausible(task: str, body: Mapping[str, Any]) -> str:
    """What a well-behaved model could say."""
    said = [message for message in body.get("messages", ()) if message.get("role") == "user"]
    asked = "\n".join(str(message.get("content", "")) for message in said)
    by_task = {"extract": _facts, "judge": _verdicts, "summarize": _summary, "grade": _grade, "probe": _probe}
    return by_task.get(task, _reply)(asked)


def _reply(asked: str) -> str:
    return f"You said: {asked[-200:]}"


def _facts(asked: str) -> str:
    text = " ".join(_TURN.findall(asked)[-1].split()) if _TURN.search(asked) else ""
    if not text or text.endswith("?"):
        return '{"facts": []}'
    fact = {
        "support": text[:300],
        "text": text[:300],
        "kind": "semantic",
        "why": "said plainly",
        "importance": 0.6,
        "subject": "user",
        "valid_from": None,
    }
    return json.dumps({"facts": [fact]}, ensure_ascii=False)


def _verdicts(asked: str) -> str:
    pairs = [{"pair": int(n), "reason": "both hold", "label": "additive", "confidence": 0.9} for n in _PAIR.findall(asked)]
    return json.dumps({"verdicts": pairs})


def _summary(asked: str) -> str:
    texts = _SOURCE.findall(asked)
    return json.dumps({"reason": "they say one thing", "one_thing": bool(texts), "text": texts[-1] if texts else ""})


def _grade(asked: str) -> str:
    expected, reply = _EXPECTED.search(asked), _REPLY.search(asked)
    words = [line.removeprefix("- ") for line in expected[1].splitlines()] if expected else []
    right = reply is not None and any(word and word in reply[1] for word in words)
    return json.dumps({"reason": "compared", "correct": right})


def _probe(asked: str) -> str:
    return json.dumps({"reason": "asked to", "ready": True})


def vector(text: str, dims: int) -> list[float]:
    """A deterministic vector: words in common make texts near each other."""
    sums = [0.0] * dims
    for word in re.findall(r"\w+", text.casefold()):
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        for i in range(dims):
            sums[i] += digest[i % 32] / 127.5 - 1.0
    return sums
