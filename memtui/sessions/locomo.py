"""LoCoMo conversations: two people's dated chats (https://github.com/snap-research/locomo), as a session.

Both speakers tell facts, so every dialog turn becomes a user turn that says who spoke ("Caroline: I went to …"), at the date
of its chat, a few seconds after the turn in front of it. What a shared picture shows is added in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NoReturn

from memtui.errors import InputError
from memtui.memory.texts import clean
from memtui.sessions.lines import Session, SessionHeader, UserTurn

BETWEEN_TURNS: Final = timedelta(seconds=30)
"""How far apart the turns of one chat are put; LoCoMo dates whole chats only."""
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
"""Month names are English whatever the machine's locale, and known by three letters."""
_DATE: Final = re.compile(r"\s*(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE)
_CHAT: Final = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Conversation:
    """One LoCoMo conversation.

    Attributes:
        session: its turns as user turns.
        speakers: who spoke, by turn id.
    """

    session: Session
    speakers: Mapping[str, str]


def looks_like_locomo(data: Any) -> bool:
    """Whether parsed JSON is a list of LoCoMo conversations (or a single one)."""
    samples = data if isinstance(data, list) else [data]
    return bool(samples) and all(isinstance(sample, dict) and "conversation" in sample for sample in samples)


def locomo_conversation(data: Any, number: int, path: Path) -> Conversation:
    """Conversation `number` (from 0) of parsed LoCoMo JSON.

    Raises:
        InputError: no such conversation, or a key is missing or holds what it should not; conversation and key are named.
    """
    samples = data if isinstance(data, list) else [data]
    if not 0 <= number < len(samples):
        last = len(samples) - 1
        raise InputError(
            f"{path} holds no conversation {number}.",
            todo=f"Choose one from 0 to {last}." if last else "It holds conversation 0 alone.",
        )
    return _Reader(path, number, samples[number]).read()


def parse_locomo_date(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023` as UTC.

    Raises:
        ValueError: not such a date.
    """
    match = _DATE.fullmatch(text)
    month = _MONTHS.split().index(match[5][:3].lower()) + 1 if match and match[5][:3].lower() in _MONTHS.split() else 0
    if match is None or month == 0 or not 1 <= int(match[1]) <= 12:
        raise ValueError(f"'{text[:60]}' is no date such as '1:56 pm on 8 May, 2023'")
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    return datetime(int(match[6]), month, int(match[4]), hour, int(match[2]), tzinfo=UTC)


class _Reader:
    """One conversation's JSON, read with errors that say where."""

    def __init__(self, path: Path, number: int, sample: Any) -> None:
        self.path, self.number = path, number
        self.sample = sample
        self.talk = self._get(sample, "conversation", dict, "")
        self.name = re.sub(r"^conv-", "", clean(str(sample.get("sample_id", number)))) or str(number)

    def read(self) -> Conversation:
        turns: list[UserTurn] = []
        speakers: dict[str, str] = {}
        last: datetime | None = None
        for key, start in self._chats():
            at = start if last is None or start > last else last + BETWEEN_TURNS
            for place, turn in enumerate(self._get(self.talk, key, list, "conversation"), start=1):
                where = f"conversation.{key}[{place}]"
                speaker, turn_id, text = self._turn(turn, where)
                if turn_id in speakers:
                    self._fail(f"{where}.dia_id", "stands twice")
                speakers[turn_id] = speaker
                turns.append(UserTurn(turn_id, at, f"{speaker}: {text}"))
                last, at = at, at + BETWEEN_TURNS
        if not turns:
            self._fail("conversation", "holds no turns")
        names = list(dict.fromkeys(speakers.values()))
        header = SessionHeader(
            title=f"{' and '.join(names[:2])} (LoCoMo {self.name})",
            language="en",
            note=f"Imported from LoCoMo, conversation {self.name}: {len(turns)} turns of {len(self._chats())} chats. "
            "The dates of the chats are LoCoMo's; turns of one chat are put 30 seconds apart.",
        )
        return Conversation(Session(self.path, header, tuple(turns)), speakers)

    def _chats(self) -> Sequence[tuple[str, datetime]]:
        """The keys of the chats with their dates, by date."""
        numbers = sorted(int(match[1]) for key in self.talk if (match := _CHAT.fullmatch(key)))
        chats = []
        for number in numbers:
            key = f"session_{number}_date_time"
            text = self._get(self.talk, key, str, "conversation")
            try:
                chats.append((f"session_{number}", parse_locomo_date(text)))
            except ValueError as error:
                self._fail(f"conversation.{key}", str(error))
        return sorted(chats, key=lambda chat: chat[1])

    def _turn(self, turn: Any, where: str) -> tuple[str, str, str]:
        speaker = " ".join(clean(self._get(turn, "speaker", str, where)).split())
        text = clean(self._get(turn, "text", str, where)).strip()
        caption = turn.get("blip_caption")
        if caption is not None and not isinstance(caption, str):
            self._fail(f"{where}.blip_caption", "is not a text")
        if caption:
            text = f"{text} [shares {clean(caption).strip()}]".strip()
        return speaker, f"locomo{self.name}:{clean(self._get(turn, 'dia_id', str, where))}", text

    def _get(self, data: Any, key: str, kind: type[Any], where: str) -> Any:
        full = f"{where}.{key}" if where else key
        if not isinstance(data, dict) or key not in data:
            self._fail(full, "is missing")
        if not isinstance(data[key], kind):
            self._fail(full, f"is not {_NAMES[kind]}")
        return data[key]

    def _fail(self, key: str, problem: str) -> NoReturn:
        raise InputError(f"{self.path}: conversation {self.number}, key '{key}': {problem}.", todo="Nothing was imported.")


_NAMES: Final[Mapping[type[Any], str]] = {dict: "an object", list: "a list", str: "a text"}
