"""The vault: out and back gives the same records, whatever they say; edits and notes of people are taken in."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memtui.chat.companion import Companion
from memtui.errors import InputError
from memtui.memory.events import (
    Body,
    Created,
    Edited,
    Judged,
    Learned,
    Pinned,
    Practised,
    Recalled,
    Restored,
    Retired,
    Trusted,
    Turned,
    Undone,
    Warped,
)
from memtui.memory.ids import make_id
from memtui.memory.model import Kind, Label, Outcome, RetireReason, Trust
from memtui.memory.skill import Draft, body_text
from memtui.memory.state import state_hash
from memtui.memory.texts import clean, content_hash
from memtui.sessions.export import export_memories
from memtui.sessions.importing import import_file
from memtui.sessions.vault.notes import BadNote, read_note, write_note
from memtui.sessions.vault.reading import read_vault
from memtui.sessions.vault.restoring import import_vault
from memtui.sessions.vault.writing import write_vault
from memtui.store.memory_store import MemoryStore
from tests.doubles import ScriptedMind
from tests.sessions.homes import NOW, companion_with

LOOKALIKES = [
    "---\nid: 1\n---\n\nbody",
    "text\n---\n",
    "---",
    "```yaml\n---\nmemtui: 1\n---\n```",
    "~~~\nопен\n",
    "\n\nпустые строки\n\n",
    "trailing spaces  \n\ttab",
    "key: value\n- [ ] task #tag [[link]]",
    "# heading\r\nwindows",
    "'quoted' \"twice\" \\ back",
    "\u2028\u0085\ufeffodd spaces\u00a0",
    "эмодзи 👩‍👩‍👧 и 漢字",
    "%% comment %%\n<!-- x -->",
    "null",
    "2026-03-01",
    "12345678e90",
]
texts = st.one_of(
    st.sampled_from(LOOKALIKES),
    st.text(max_size=60),
    st.text(alphabet="-`~#:>\n \t|'\"\\{}[]абвхяё123", max_size=60),
).map(lambda text: clean(text) or "x")


# -- the form of a note


@settings(max_examples=150, deadline=None)
@given(body=texts, value=st.recursive(texts | st.none() | st.booleans() | st.integers(), lambda x: st.lists(x, max_size=3)))
@example(body="---\n---\n", value="---\n")
def test_a_note_is_read_back_to_the_last_character(body: str, value: Any) -> None:
    front = {"a": value, "texts": [body, body]}
    note = read_note(write_note(front, body))
    assert note.front == front and note.body == body
    assert read_note(write_note(front, body).replace("\n", "\r\n")).front.keys() == front.keys()


def test_texts_without_front_matter_and_broken_ones() -> None:
    assert read_note("plain\n---\n").front == {} and read_note("---\nnever closed\n").body == "---\nnever closed\n"
    assert read_note("---\n---\nbody").body == "body"
    for broken in ("---\n{a: [\n---\n", "---\n- list\n---\n", "---\na: !!python/object:os.system x\n---\n"):
        with pytest.raises(BadNote):
            read_note(broken)


# -- whole lives

operations = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "create",
                "learn",
                "edit",
                "recall",
                "retire",
                "restore",
                "pin",
                "practise",
                "trust",
                "undo",
                "turn",
                "judge",
                "warp",
            ]
        ),
        st.integers(0, 10),
        texts,
    ),
    min_size=3,
    max_size=14,
)


def birth(store: MemoryStore, what: str, number: int, text: str) -> tuple[list[Body], dict[str, str]]:
    """A new memory or skill."""
    at = NOW + timedelta(hours=store.head.length)
    new = make_id(at, "memory", store.head.length)
    kind = [Kind.SEMANTIC, Kind.EPISODIC, Kind.CONSOLIDATED][number % 3]
    if what == "learn":
        text, kind = body_text(Draft(" ".join(text.split()) or "t", text, text, "")), Kind.PROCEDURAL
    digest = content_hash(text)
    merged = tuple(store.state.memories)[:1]
    born = Created(new, kind, digest, None, number / 10, at, at, at, sources=(f"t{number}",), merged_from=merged)
    if what == "create":
        return [born], {digest: text}
    slug = f"skill-{store.head.length}"
    return [born, Learned(new, slug, list(Outcome)[number % 3], Trust.TRUSTED, "you")], {digest: text}


def happening(store: MemoryStore, what: str, number: int, text: str) -> tuple[list[Body], dict[str, str]]:
    """One operation on what is there; nothing when there is nothing to do it to."""
    digest, ids, blocks = content_hash(text), list(store.state.memories), list(store.state.blocks)
    if what == "turn":
        return [Turned(f"t{store.head.length}", "s")], {}
    if what == "warp":
        return [Warped(3600.0 * number, 60.0)], {}
    if not ids:
        return [], {}
    one, even = ids[number % len(ids)], number % 2 == 0
    memory, first = store.state.memories[one], store.state.memories[ids[0]]
    table: dict[str, Body] = {
        "recall": Recalled(tuple(dict.fromkeys((one, ids[0]))), "t"),
        "retire": Retired(one, RetireReason.FORGOTTEN, ids[0], digest),
        "restore": Restored(one),
        "pin": Pinned(one, even),
        "undo": Undone(blocks[number % len(blocks)]),
        "judge": Judged(memory.content, first.content, Label.ADDITIVE, 0.5, "you", digest),
    }
    if memory.skill is None:
        table["edit"] = Edited(one, digest)
    else:
        table["practise"] = Practised(one, even, digest)
        table["trust"] = Trusted(one, Trust.TRUSTED if even else Trust.UNTRUSTED, "you")
    named = {digest: text} if what in ("retire", "judge", "edit", "practise") else {}
    return ([table[what]], named) if what in table else ([], {})


async def live(companion: Companion, life: list[tuple[str, int, str]]) -> None:
    store = companion.store
    for what, number, text in life:
        bodies, said = (birth if what in ("create", "learn") else happening)(store, what, number, text)
        if bodies:
            rows = await companion.mind.embedder.embed(list(said.values()))
            vectors = dict(zip(said, rows, strict=True))
            at = NOW + timedelta(hours=store.head.length)
            store.append(bodies, at=at, block=make_id(at, "block", store.head.length), texts=said, vectors=vectors)


def all_texts(store: MemoryStore) -> dict[str, list[str]]:
    """Every text a memory ever had, its notes too."""
    out: dict[str, list[str]] = {}
    for identity, events in store.state.history.items():
        digests = [getattr(event.body, name, None) for event in events for name in ("content", "note")]
        out[identity] = [store.text(digest) for digest in digests if isinstance(digest, str)]
    return out


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(life=operations)
@example(life=[("create", 1, text) for text in LOOKALIKES])
@example(
    life=[
        ("learn", 1, "Сборка\n```sh\nmake\n```"),
        ("practise", 1, "no"),
        ("recall", 0, "x"),
        ("undo", 1, "x"),
        ("undo", 3, "x"),
    ]
)
def test_out_and_back_gives_the_same_records(
    tmp_path_factory: pytest.TempPathFactory, life: list[tuple[str, int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("vault") / "v"

    async def check() -> None:
        first, second = companion_with(ScriptedMind()), companion_with(ScriptedMind())
        try:
            await live(first, life)
            store = first.store
            assert write_vault(store, folder).records == len(store.state.memories)
            if not store.state.memories:
                return
            report = await import_vault(folder, second, trust=True)
            assert not report.problems and not report.edited and report.restored == store.head.length
            assert state_hash(second.store.state) == state_hash(store.state) and second.store.head == store.head
            assert all_texts(second.store) == all_texts(store)
            assert second.store.frame.texts == store.frame.texts and second.store.verify() == []
            again = await import_vault(folder, second, trust=True)
            assert again.restored == again.added == again.edited == 0
            assert write_vault(second.store, folder).changed == 0  # nothing to write: it is the same vault
        finally:
            await first.close()
            await second.close()

    asyncio.run(check())


# -- single things


async def home_with(tmp_path: Path, *told: str) -> tuple[Companion, Path]:
    companion = companion_with(ScriptedMind())
    for text in told:
        await companion.remember(text)
    await companion.skills.learn(
        Draft("Deploy hangs", "stuck at migrations", "1. find the lock\n2. kill it", slug="deploy-hangs")
    )
    folder = tmp_path / "vault"
    write_vault(companion.store, folder)
    return companion, folder


def file_of(folder: Path, words: str) -> Path:
    (path,) = [path for path in folder.rglob("*.md") if words in path.read_text(encoding="utf-8")]
    return path


async def test_one_file_a_record_with_history(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon", "Моя сестра живёт в Порту")
    assert len(list(folder.rglob("*.md"))) == 3 and (folder / "skills").is_dir()
    note = read_note(file_of(folder, "Порту").read_text(encoding="utf-8"))
    assert note.body == "Моя сестра живёт в Порту" and note.front["kind"] == "semantic"
    assert [json.loads(line)["event"] for line in note.front["history"]] == ["created"]
    assert read_note(file_of(folder, "find the lock").read_text()).front["skill"]["slug"] == "deploy-hangs"
    await companion.close()


async def test_imported_skills_wait_for_approval_unless_told_otherwise(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path)
    for trust, wanted in ((False, Trust.UNTRUSTED), (True, Trust.TRUSTED)):
        other = companion_with(ScriptedMind())
        report = await import_vault(folder, other, trust=trust)
        assert other.skills.get("deploy-hangs").trust is wanted and report.untrusted == (not trust)
        if not trust:
            await other.skills.approve("deploy-hangs")
            await import_vault(folder, other)
            assert other.skills.get("deploy-hangs").trusted  # the person's word is not taken back by a second import
        await other.close()
    await companion.close()


async def test_a_home_with_memories_gets_what_it_lacks(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon", "I like tea")
    identity = companion.resolve("Lisbon")
    await companion.pin(identity)
    await companion.forget(companion.resolve("tea"))
    write_vault(companion.store, folder)
    other = companion_with(ScriptedMind(), NOW + timedelta(days=3))
    await other.remember("Something of my own")
    await other.skills.learn(Draft("Mine", "x", "y", slug="deploy-hangs"))
    report = await import_vault(folder, other)
    assert report.added == 3 and not report.problems
    mine, theirs = companion.store.state.memories[identity], other.store.state.memories[identity]
    assert (theirs.created_at, theirs.last_recall, theirs.pinned) == (mine.created_at, mine.last_recall, True)
    assert [memory.retired_reason for memory in other.store.state.retired()] == [RetireReason.FORGOTTEN]
    assert {skill.slug: skill.trust for skill in other.skills.listed()} == {
        "deploy-hangs": Trust.TRUSTED,
        "deploy-hangs-2": Trust.UNTRUSTED,
    }
    assert (await import_vault(folder, other)).added == 0 and other.store.verify() == []
    await companion.close()
    await other.close()


async def test_edits_in_the_vault_come_back_and_are_not_overwritten(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon")
    fact, skill = file_of(folder, "Lisbon"), file_of(folder, "find the lock")
    fact.write_text(fact.read_text().replace("\n\nI live in Lisbon\n", "\r\n\r\nI live in Porto\r\n"))
    skill.write_text(skill.read_text().replace("2. kill it", "2. kill it gently"))
    written = write_vault(companion.store, folder)
    assert len(written.edited) == 2 and "Porto" in fact.read_text() and "import" in written.sentence
    identity = companion.resolve("Lisbon")
    report = await import_vault(folder, companion)
    assert report.edited == 2
    assert companion.store.text(companion.store.state.memories[identity].content) == "I live in Porto"
    changed = companion.skills.get("deploy-hangs")
    assert changed.steps.endswith("gently") and not changed.trusted  # a file is nobody's word
    assert (await import_vault(folder, companion)).edited == 0
    # an old vault does not undo what was said since
    old = tmp_path / "old"
    shutil.copytree(folder, old)
    write_vault(companion.store, folder)
    await companion.edit(identity, text="I live in Faro")
    assert (await import_vault(old, companion)).edited == 0
    await companion.close()


async def test_other_files_and_renamed_ones_are_respected(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon")
    mine = folder / "semantic" / "mine.md"
    mine.write_text("my own note")
    await companion.edit(companion.resolve("Lisbon"), text="I live in Braga")
    write_vault(companion.store, folder)
    assert mine.read_text() == "my own note" and len(list(folder.rglob("*.md"))) == 3
    assert "Braga" in file_of(folder, "I live in Braga").read_text()
    shutil.rmtree(folder / ".memtui")  # the manifest is lost: files are known by what stands in them
    assert write_vault(companion.store, folder).changed == 0 and len(list(folder.rglob("*.md"))) == 3
    await companion.close()


async def test_broken_and_hostile_files_are_named_and_passed_over(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon")
    (tmp_path / "secret.md").write_text("not in the vault")
    path = file_of(folder, "I live in Lisbon")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "x.md").write_text("hidden")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "yaml.md").write_text("---\na: [\n---\nx")
    (folder / "copy.md").write_text(path.read_text())
    vault = read_vault(folder)
    assert not vault.notes and len(vault.records) == 2
    assert len(vault.problems) == 3 and any("latin.md: is not UTF-8" in problem for problem in vault.problems)
    manifest = folder / ".memtui" / "files.json"
    manifest.write_text(manifest.read_text().replace("semantic/", "../"))
    with pytest.raises(InputError, match="outside"):
        write_vault(companion.store, folder)
    with pytest.raises(InputError, match="no Markdown"):
        read_vault(tmp_path / "vault" / ".memtui")
    await companion.close()


async def test_a_tampered_ledger_is_not_restored_as_one(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon")
    path = file_of(folder, "I live in Lisbon")
    path.write_text(path.read_text().replace('"importance":0.7', '"importance":0.9'))
    other = companion_with(ScriptedMind())
    report = await import_vault(folder, other)
    assert report.restored == 0 and report.added == 2 and other.store.verify() == []
    await companion.close()
    await other.close()


# -- notes of people

NOTE = """---
tags: [travel]
created: 2024-05-01
---
# Lisbon trip

We stayed in [[Alfama|the old town]], see [[Hotels#Cheap]]. ![[map.png]] %%private%%

## Budget

Dinner was 40 euros. The password is hunter22222.

```python
x = "[[not a link]]"  # %%kept%%
```
"""

SKILL = """---
type: skill
outcome: partial
---
Restart order matters.

## Когда
после обновления nginx

## Шаги
1. nginx -t
2. reload
"""


async def test_obsidian_notes_become_memories_and_skills(tmp_path: Path) -> None:
    vault = tmp_path / "obsidian"
    (vault / "sub").mkdir(parents=True)
    (vault / "sub" / "Lisbon trip.md").write_text(NOTE)
    (vault / "Перезапуск nginx.md").write_text(SKILL)
    (vault / "long.md").write_text(" ".join(f"word{number}" for number in range(700)))
    (vault / "empty.md").write_text("---\ntags: x\n---\n\n")
    companion = companion_with(ScriptedMind())
    report = await import_vault(vault, companion)
    assert report.notes == 4 and report.skills == 1 and report.untrusted == 1 and not report.problems
    said = companion.store.frame.texts
    trip = next(text for text in said if text.startswith("Lisbon trip: We"))
    assert trip == "Lisbon trip: We stayed in the old town, see Hotels Cheap."
    budget = next(text for text in said if text.startswith("Lisbon trip, Budget"))
    assert 'x = "[[not a link]]"  # %%kept%%' in budget and "hunter2" not in budget
    assert all(len(text) <= 600 for text in said) and sum("word7" in text or "word69" in text for text in said) >= 2
    memory = companion.store.state.memories[companion.resolve("old town")]
    assert memory.created_at.date().isoformat() == "2024-05-01" and memory.last_recall == NOW
    (skill,) = companion.skills.listed()
    assert (skill.trigger, skill.outcome, skill.origin) == ("после обновления nginx", Outcome.PARTIAL, "vault")
    assert skill.steps == "1. nginx -t\n2. reload" and skill.lessons == "Restart order matters."
    before = companion.store.head
    assert (await import_vault(vault, companion)).made == 0 and companion.store.head == before
    (vault / "sub" / "Lisbon trip.md").write_text(NOTE + "\nOne more thing.")
    assert (await import_vault(vault, companion)).made >= 1
    await companion.close()


async def test_dry_run_changes_nothing(tmp_path: Path) -> None:
    companion, folder = await home_with(tmp_path, "I live in Lisbon")
    other = companion_with(ScriptedMind())
    report = await import_vault(folder, other, dry_run=True)
    assert report.records == 2 and other.store.head.length == 0 and "nothing was changed" in report.sentence
    await companion.close()
    await other.close()


async def test_skills_of_an_export_wait_for_approval_too(tmp_path: Path) -> None:
    companion, _ = await home_with(tmp_path, "I live in Lisbon")
    file = tmp_path / "all.jsonl"
    export_memories(companion.store, file)
    for trust, wanted in ((False, Trust.UNTRUSTED), (True, Trust.TRUSTED)):
        other = companion_with(ScriptedMind())
        report = await import_file(file, other, tmp_path / "sessions", trust=trust)
        assert other.skills.get("deploy-hangs").trust is wanted and report.untrusted == (not trust)
        await other.skills.approve("deploy-hangs")
        again = await import_file(file, other, tmp_path / "sessions")
        assert (again.created, again.untrusted) == (0, 0) and other.skills.get("deploy-hangs").trusted
        assert other.store.verify() == []
        await other.close()
    await companion.close()
