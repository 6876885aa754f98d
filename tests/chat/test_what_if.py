"""What-ifs of memories that were really lived: sessions played, slept, warped, undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from memtui.chat.changes import changed_settings
from memtui.chat.companion import Companion
from memtui.chat.what_if import what_if
from memtui.clock import SimClock
from memtui.locations import sample_sessions
from memtui.memory.branch import difference
from memtui.memory.events import Judged
from memtui.memory.laws import LAW_NAMES
from memtui.memory.state import state_hash
from memtui.minds.base import PairText
from memtui.sessions.beats import beats_of
from memtui.sessions.format import read_session
from memtui.sessions.headless import play_all
from memtui.sessions.stage import replay_companion, start_of
from tests.memory.builders import snapshot


@pytest.fixture(scope="module", params=["berlin-to-lisbon", "ru-pereezd", "tour"])
async def lived(request: pytest.FixtureRequest) -> AsyncIterator[Companion]:
    """A memory after a whole session, two weeks later."""
    session = read_session(sample_sessions() / f"{request.param}.jsonl")
    companion = await replay_companion(session, SimClock.frozen(start_of(session)))
    await play_all(companion, beats_of(session))
    await companion.warp_to(companion.clock.now() + timedelta(days=14))
    await companion.undo()
    yield companion
    await companion.close()


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_branch_with_unchanged_settings_is_the_trunk(lived: Companion) -> None:
    same = what_if(lived, lived.settings)
    copied = what_if(lived, changed_settings(lived.settings, {"half_life.episodic": "72h", "floor": 0.05}))
    assert same is not None and copied is not None
    for branch in (same, copied):
        assert state_hash(branch.side.state) == state_hash(lived.store.state)
        assert [event.body for event in branch.side.events] == [event.body for event in lived.store.events()]
        assert not branch.missed


@pytest.mark.parametrize("law", LAW_NAMES)
async def test_any_law_leads_somewhere_and_nothing_of_the_trunk_is_touched(lived: Companion, law: str) -> None:
    head, digest, held = lived.store.head, state_hash(lived.store.state), snapshot(lived.store.frame)
    settings, mine = lived.settings, lived.law
    branch = what_if(lived, changed_settings(lived.settings, {"law": law, "capacity": 8}))
    assert branch is not None and branch.side.law.name == law
    assert state_hash(branch.trunk.state) == digest == state_hash(lived.store.state)
    assert (lived.store.head, snapshot(lived.store.frame), lived.settings, lived.law) == (head, held, settings, mine)
    apart = difference(branch.trunk.state, branch.side.state)
    assert len(apart.only_branch) + apart.both == branch.side.active


async def test_no_mind_is_asked(lived: Companion, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(pairs: list[PairText]) -> None:
        raise AssertionError("a branch asked a mind")

    monkeypatch.setattr(lived.mind, "judge", never)
    monkeypatch.setattr(lived.mind, "summarize", never)
    branch = what_if(lived, changed_settings(lived.settings, {"half_life.episodic": "1800d", "half_life.semantic": "1800d"}))
    assert branch is not None and branch.side.active >= branch.trunk.active
    known = {(event.body.older, event.body.newer) for event in lived.store.events() if isinstance(event.body, Judged)}
    made = {(event.body.older, event.body.newer) for event in branch.side.events if isinstance(event.body, Judged)}
    assert made <= known


async def test_a_shorter_memory_holds_less_and_an_earlier_moment_is_earlier(lived: Companion) -> None:
    short = changed_settings(
        lived.settings, {f"half_life.{kind}": "12h" for kind in ("episodic", "semantic", "consolidated")}
    )
    branch = what_if(lived, short)
    assert branch is not None and branch.side.active < branch.trunk.active
    assert not difference(branch.trunk.state, branch.side.state).only_branch
    halfway = lived.store.events()[len(lived.store.events()) // 2].at
    early = what_if(lived, short, until=halfway)
    assert early is not None and early.until == halfway and len(early.trunk.events) < len(branch.trunk.events)
