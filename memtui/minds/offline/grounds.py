"""Grounds for retiring: what a verdict must be able to point at before a sleep pass may act on it.

The heads learned on pairs that were written to be related; in a long chat nearly all pairs are only neighbours in topic
("I joined a group", "I plan a show"). A retirement that can name no ground is kept as unsure: both memories stay.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.model import Label
from memtui.minds.offline.pairs import marks
from memtui.minds.offline.slots import SINGLE_VALUED

UNSURE: Final = 0.3
"""The confidence of a retirement without grounds: below what any pass acts on."""
_SAME_FACT: Final = 0.75
"""Cosine from which two texts may be one fact whatever their words (paraphrases, translations)."""
_LIKE_FACT: Final = 0.45
"""The same where they also share half of the shorter one's content words."""
_SAME_TOPIC: Final = 0.60
"""Cosine from which a newer text that says something different may replace an older one with no shared slot."""
_LIKE_TOPIC: Final = 0.30
"""The same where they also share a content word."""
_SAME_SLOT: Final = 0.1
"""Inner product of the posteriors of single-valued slots from which both fill the same one."""


def grounds(label: Label, older: str, newer: str, a: Vectors, b: Vectors, slots: tuple[Vectors, Vectors]) -> bool:
    """Whether a verdict of `label` has a ground to retire `older`; labels that retire nothing need none.

    Args:
        a, b: float32 (dims,) unit vectors of older and newer.
        slots: their slot posteriors, float32 (slots,) each.
    """
    cosine = float(a @ b)
    x, y = marks(older), marks(newer)
    shared = len(x.stems & y.stems)
    if label is Label.DUPLICATE:
        half = shared >= 0.5 * max(1, min(len(x.stems), len(y.stems)))
        return cosine >= _SAME_FACT or (cosine >= _LIKE_FACT and half)
    if label is not Label.SUPERSEDES:
        return True
    single = len(SINGLE_VALUED)
    if float(np.dot(slots[0][:single], slots[1][:single])) >= _SAME_SLOT:
        return True
    differs = (
        (bool(x.numbers) and bool(y.numbers) and x.numbers != y.numbers)
        or (bool(x.names) and bool(y.names) and x.names != y.names)
        or ("negation" in x.cues) != ("negation" in y.cues)
        or "change" in y.cues
    )
    return differs and (cosine >= _SAME_TOPIC or (cosine >= _LIKE_TOPIC and shared > 0))
