"""Survival curves of memories that were really lived, by kind and by law."""

from __future__ import annotations

from datetime import timedelta

from memtui.chat.companion import Companion
from memtui.chat.survival import ALL, survival_by_law, survival_now, survival_record
from memtui.memory.laws import LAW_NAMES
from memtui.memory.state import state_hash


async def lived(companion: Companion) -> None:
    for text in ("My cat is called Mia", "The kettle sings at night", "A ferry crosses every hour"):
        async for _ in companion.turn(text):
            pass
        companion.clock.advance(timedelta(days=30))
    await companion.forget("m03")
    await companion.warp_to(companion.clock.now() + timedelta(days=120))


async def test_the_law_in_force_is_what_happened_and_the_others_differ(companion: Companion) -> None:
    await lived(companion)
    head, digest, law = companion.store.head, state_hash(companion.store.state), companion.law
    kinds, laws = survival_now(companion), survival_by_law(companion)
    assert laws is not None and set(laws.curves) == set(LAW_NAMES) and next(iter(laws.curves)) == "salience" == laws.law
    own, whole = laws.curves["salience"], kinds.curves[ALL]
    assert own.share.tolist() == whole.share.tolist() and own.ages.tolist() == whole.ages.tolist()
    assert list(kinds.curves) == [ALL, "semantic"] and whole.died == 3
    assert laws.curves["naive"].died == 1  # what the person forgot is forgotten under any law
    assert laws.curves["naive"].share[-1] > own.share[-1] == 0.0
    assert (companion.store.head, state_hash(companion.store.state), companion.law) == (head, digest, law)


async def test_a_moment_of_the_past_knows_nothing_of_later(companion: Companion) -> None:
    await lived(companion)
    moment = companion.clock.now() - timedelta(days=125)
    then, by_law = survival_now(companion, moment), survival_by_law(companion, moment)
    assert then.moment == moment and then.curves[ALL].died == 0 and then.curves[ALL].count == 3
    assert by_law is not None and by_law.curves["salience"].known == then.curves[ALL].known < 90 * 24


async def test_it_can_be_given_up(companion: Companion) -> None:
    await lived(companion)
    told: list[float] = []

    def stop(share: float) -> bool:
        told.append(share)
        return len(told) < 2

    assert survival_by_law(companion, keep_going=stop) is None and len(told) == 2


async def test_the_record_is_of_days_and_shares(companion: Companion) -> None:
    await lived(companion)
    record = survival_record(survival_now(companion))
    assert set(record) == {"by", "law", "as_of", "curves"} and record["by"] == "kind"
    curve = record["curves"][0]
    assert (curve["name"], curve["memories"], curve["retired"]) == ("all", 3, 3)
    assert set(curve["alive"]) == {"1d", "7d", "30d", "90d"} and curve["alive"]["1d"] == 1.0
    assert curve["median_d"] in {step["age_d"] for step in curve["steps"]} and curve["steps"][-1]["alive"] == 0.0
    assert sum(step["retired"] for step in curve["steps"]) == 3 and curve["steps"][0]["at_risk"] == 3


async def test_an_empty_memory_has_no_curve(companion: Companion) -> None:
    found = survival_by_law(companion)
    assert found is not None and {curve.count for curve in found.curves.values()} == {0}
    assert survival_record(survival_now(companion))["curves"][0]["median_d"] is None
