"""Facts of conversations between people say who speaks ("Caroline: I paint"). The judge reads the words without the name.

With the name in front of both, any two facts of one speaker look alike; and what two people say of themselves can't
contradict each other.
"""

from __future__ import annotations

import re
from typing import Final

_SPOKEN = re.compile(r"^(?P<who>[A-ZА-ЯЁ][\w'’.-]{0,30}(?: [A-ZА-ЯЁ][\w'’.-]{0,30})?): +(?P<words>\S.*)$", re.DOTALL)
_LEADS: Final = (
    "update news note notes ps fyi correction reminder fact edit todo question answer warning tip plan idea status "
    "обновление новости новость заметка поправка напоминание факт вопрос ответ план идея важно итог"
)
_NO_SPEAKERS: Final = frozenset(_LEADS.split())
"""What stands in front of a colon and is nobody."""


def spoken(text: str) -> tuple[str, str]:
    """Who speaks, and the words; "" and the whole text where nobody is named."""
    match = _SPOKEN.match(text)
    if match is None or match["who"].lower() in _NO_SPEAKERS:
        return "", text
    return match["who"], match["words"]
