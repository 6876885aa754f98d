"""The snapshot beside the store: what it says is what the store says, and when it is stale."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memtui.locations import Home
from memtui.memory.skill import Draft
from memtui.skills.snapshot import SnapshotReader, refresh_in_background
from memtui.skills.snapshot_file import SNAPSHOT_NAME, SnapshotFile
from tests.skills.conftest import START, Opened

DRAFTS = (
    Draft("Deploy hangs on a migration", "it stops at running migrations", "1. find the lock"),
    Draft("Починить капающий кран", "из крана капает вода", "1. перекрыть воду\n2. заменить картридж"),
    Draft("Docker build runs out of disk", "no space left on device", "1. docker prune"),
)


async def test_it_says_what_the_store_says(opened: Opened, own_home: Home) -> None:
    companion = await opened()
    assert not SnapshotReader(own_home).exists
    for draft in DRAFTS:
        await companion.skills.learn(draft)
    await companion.skills.reinforce("deploy-hangs-on-a-migration")
    await companion.skills.snapshot.settled()
    companion.clock.jump_to(START + timedelta(days=40))
    reader = SnapshotReader(own_home)
    now = companion.clock.now()
    assert reader.exists and not reader.stale
    assert [skill.record() for skill in reader.skills(now)] == [skill.record() for skill in companion.skills.listed()]
    for query in ("deploy migration", "капает кран", "docker disk space"):
        told = reader.recall(query, now, meaning=True)
        asked = await companion.skills.recall(query, everything=True)
        assert [item.skill.slug for item in told.found] == [item.skill.slug for item in asked]
        assert [item.score for item in told.found] == pytest.approx([item.score for item in asked], abs=2e-3)
        assert reader.recall(query, now).found[0].skill == asked[0].skill  # by words alone
    assert reader.recall("zzz", now).found == ()
    later = START + timedelta(days=91)
    assert reader.skills(later) == [] and reader.recall("deploy", later).found == ()


async def test_other_events_leave_it_good_and_changes_are_seen(opened: Opened, own_home: Home) -> None:
    companion = await opened()
    await companion.skills.learn(DRAFTS[0])
    await companion.skills.snapshot.settled()
    before = (own_home.skills / SNAPSHOT_NAME).read_bytes()
    await companion.remember("I live in Lisbon")
    assert SnapshotReader(own_home).stale  # for a moment: nobody has said yet that no skill changed
    companion.skills.snapshot.keep()
    await companion.skills.snapshot.settled()
    assert (own_home.skills / SNAPSHOT_NAME).read_bytes() == before and not SnapshotReader(own_home).stale
    await companion.undo(companion.store.state.history[companion.skills.get("m01").id][0].block)
    await companion.skills.snapshot.settled()
    reader = SnapshotReader(own_home)
    assert not reader.stale and reader.skills(START) == []


async def test_a_change_of_settings_or_a_broken_file_make_it_stale(
    opened: Opened, own_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    companion = await opened()
    await companion.skills.learn(DRAFTS[0])
    await companion.skills.snapshot.settled()
    assert not SnapshotReader(own_home).stale
    monkeypatch.setenv("MEMTUI_STORE", "/elsewhere")
    assert SnapshotReader(own_home).stale
    monkeypatch.delenv("MEMTUI_STORE")
    own_home.config.mkdir(exist_ok=True)
    own_home.settings_file.write_text("[memory.strength]\nidle = 0.9\n")
    assert SnapshotReader(own_home).stale
    (own_home.skills / SNAPSHOT_NAME).write_bytes(b"memtui skills 1\n{")
    broken = SnapshotReader(own_home)
    assert not broken.exists and broken.stale and broken.recall("deploy", START).found == ()


async def test_without_skills_no_folder_is_made(opened: Opened, own_home: Home) -> None:
    companion = await opened()
    await companion.remember("I live in Lisbon")
    await companion.skills.snapshot.settled()
    assert not own_home.skills.exists()


async def test_a_full_disk_is_no_error_of_what_was_done(
    opened: Opened, own_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    companion = await opened()
    monkeypatch.setattr("memtui.skills.keeping.write_file", full)
    learnt = await companion.skills.learn(DRAFTS[0])
    await companion.skills.snapshot.settled()
    assert learnt.skill is not None and not SnapshotReader(own_home).exists


def test_refreshing_starts_one_process_a_minute(own_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("subprocess.Popen", lambda words, **_: started.append(words))
    assert refresh_in_background(own_home) and not refresh_in_background(own_home)
    assert started[0][-4:] == ["--home", str(own_home.data), "skill", "refresh"]


async def test_a_word_of_any_script_is_found(opened: Opened, own_home: Home) -> None:
    companion = await opened()
    await companion.skills.learn(Draft("日本語の設定", "キーボード", "1. 設定を開く"))
    await companion.skills.snapshot.settled()
    file = SnapshotFile(own_home.skills / SNAPSHOT_NAME)
    assert file.whole() and len(file) == 1
    assert SnapshotReader(own_home).recall("設定", START).found
