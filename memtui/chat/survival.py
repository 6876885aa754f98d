"""How long a companion's memories live, by kind and by law.

By law: the same events lived again under each law (`what_if`), so turns and recalls are those that were recorded, and what
only another law kept counts as unused there. The law in force needs no branch: it is what happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from memtui.chat.changes import changed_settings
from memtui.chat.what_if import what_if
from memtui.memory.branch import KeepGoing
from memtui.memory.laws import LAW_NAMES
from memtui.memory.moments import to_iso
from memtui.memory.survival import DAY_H, TOLD_DAYS, Life, Survival, lives_of, survival_by_kind, survival_of

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

By = Literal["kind", "law"]
ALL: Final = "all"
"""The name of the curve of every memory, whatever its kind."""


@dataclass(frozen=True, slots=True)
class Survivals:
    """Curves to be looked at together.

    Attributes:
        by: what they are told apart by.
        curves: by the name of a kind or law; of kinds `ALL` comes first, of laws the one in force.
        law: the law in force.
        moment: the moment they are of; who was alive then is censored there.
    """

    by: By
    curves: Mapping[str, Survival]
    law: str
    moment: datetime


def survival_now(companion: Companion, until: datetime | None = None) -> Survivals:
    """The curves by kind, as memory is, or was at `until`. Reads only."""
    moment = companion.clock.now() if until is None else until
    lives = _lives(companion, moment, until)
    curves = {ALL: survival_of(lives)} | {kind.value: one for kind, one in survival_by_kind(lives).items()}
    return Survivals("kind", curves, companion.law.name, moment)


def survival_by_law(
    companion: Companion, until: datetime | None = None, keep_going: KeepGoing | None = None
) -> Survivals | None:
    """The curves under every law. Asks no mind and changes nothing; call it in a thread, as `what_if`.

    Args:
        keep_going: told the share that is done; False ends the work and None is returned.
    """
    moment = companion.clock.now() if until is None else until
    own = companion.law.name
    curves = {own: survival_of(_lives(companion, moment, until))}
    others = [law for law in LAW_NAMES if law != own]
    for number, law in enumerate(others):

        def told(share: float, number: int = number) -> bool:
            return keep_going is None or keep_going((number + share) / len(others))

        settings = changed_settings(companion.settings, {"law": law})
        branch = what_if(companion, settings, until=moment, keep_going=told)
        if branch is None or not told(1.0):
            return None
        state = branch.side.state
        curves[law] = survival_of(lives_of(state.memories.values(), state.history, moment))
    return Survivals("law", curves, own, moment)


def _lives(companion: Companion, moment: datetime, until: datetime | None) -> list[Life]:
    store = companion.store
    memories = store.state.memories if until is None else store.as_of(until).cut.there()
    return lives_of(list(memories.values()), store.state.history, moment)


def survival_record(found: Survivals) -> dict[str, Any]:
    """The JSON document of `memtui survival --json`: shares of 1, ages in days.

    `steps` are all there are; `alive` and `median_d` are null beyond `known_d` (see `memory.survival`).
    """
    return {
        "by": found.by,
        "law": found.law,
        "as_of": to_iso(found.moment),
        "curves": [_curve_record(name, curve) for name, curve in found.curves.items()],
    }


def _curve_record(name: str, curve: Survival) -> dict[str, Any]:
    steps = zip(curve.ages.tolist(), curve.share.tolist(), curve.at_risk.tolist(), curve.deaths.tolist(), strict=True)
    return {
        "name": name,
        "memories": curve.count,
        "retired": curve.died,
        "known_d": round(curve.known / DAY_H, 6),
        "median_d": None if curve.median is None else round(curve.median / DAY_H, 6),
        "alive": {f"{days}d": _rounded(curve.at(days * DAY_H)) for days in TOLD_DAYS},
        "steps": [
            {"age_d": round(age / DAY_H, 6), "alive": round(share, 6), "at_risk": risk, "retired": deaths}
            for age, share, risk, deaths in steps
        ],
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 6)
