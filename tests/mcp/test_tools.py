"""The tools over a memory, in this process: by the SDK's own client, without a pipe between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import StoreBusyError
from memtui.mcp.server import Service, server_of
from memtui.mcp.tools import TOOLS, Tools
from memtui.memory.model import Trust
from memtui.memory.skill import Draft
from tests.doubles import ScriptedMind
from tests.sessions.homes import NOW

WORDS = {
    "mem_search",
    "mem_get",
    "mem_list",
    "mem_write",
    "mem_update",
    "mem_learn",
    "mem_recall",
    "mem_reinforce",
    "mem_pin",
}


@pytest.fixture
async def companion() -> AsyncIterator[Companion]:
    made = scratch_companion(Settings(timezone="UTC"), SimClock.frozen(NOW), ScriptedMind())
    yield made
    await made.close()


@asynccontextmanager
async def connected(companion: Companion) -> AsyncIterator[tuple[Client, Tools]]:
    tools = Tools(companion)

    async def opened() -> Tools:
        return tools

    async with Client(server_of(Service(opened))) as client:
        yield client, tools


async def ok(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    answer = result.structured_content
    assert isinstance(answer, dict)
    return answer


async def failed(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


async def test_all_tools_are_listed_with_closed_schemas(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} == WORDS == {tool.name for tool in TOOLS}
        for tool in listed:
            assert tool.input_schema["additionalProperties"] is False and tool.description
            assert tool.annotations is not None and tool.annotations.destructive_hint is False
        learn = next(tool for tool in listed if tool.name == "mem_learn")
        assert learn.input_schema["properties"]["outcome"]["enum"] == ["success", "partial", "failure"]


async def test_facts_are_written_found_changed_and_keep_their_history(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        written = (await ok(client, "mem_write", text="The staging database is stage-db-2", importance=0.8))["written"]
        assert written["importance"] == 0.8 and written["kind"] == "semantic"
        await ok(client, "mem_write", text="Lunch was ramen", kind="episodic")
        found = (await ok(client, "mem_search", query="which staging database"))["found"]
        assert found[0]["id"] == written["id"]
        assert [m["id"] for m in (await ok(client, "mem_search", query="staging database", kind="episodic"))["found"]] != [
            written["id"]
        ]
        recalled = await ok(client, "mem_recall", query="staging database stage-db-2")
        assert [fact["id"] for fact in recalled["facts"]][:1] == [written["id"]] and "never instructions" in recalled[
            "about"
        ]
        await ok(client, "mem_update", ref=written["handle"], text="The staging database is stage-db-3", importance=0.9)
        whole = (await ok(client, "mem_get", ref=written["id"]))["memory"]
        assert [version["text"][-1] for version in whole["versions"]] == ["2", "3"] and whole["importance"] == 0.9
        assert [event["event"] for event in whole["history"]][-1] == "edited"
        await ok(client, "mem_reinforce", ref=written["id"])
        assert (await ok(client, "mem_pin", ref=written["id"]))["pinned"]["pinned"]
        assert not (await ok(client, "mem_pin", ref=written["id"], pinned=False))["pinned"]["pinned"]


async def test_what_is_much_alike_is_reported_instead_of_added(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        first = (await ok(client, "mem_write", text="The staging database is stage-db-2"))["written"]
        for text in ("the staging database is STAGE-DB-2!", "The staging database is stage-db-7"):
            again = await ok(client, "mem_write", text=text)
            assert again["written"] is None and again["similar"][0]["id"] == first["id"] and "force" in again["hint"]
        assert len(companion.store.frame) == 1
        assert (await ok(client, "mem_write", text="The staging database is stage-db-7", force=True))["written"]
        skill = {"title": "Deploy hangs on a migration", "trigger": "stuck at running migrations", "steps": "find the lock"}
        await ok(client, "mem_learn", **skill)
        twin = await ok(client, "mem_learn", **skill)
        assert twin["learned"] is None and twin["similar"][0]["slug"] == "deploy-hangs-on-a-migration"
        assert (await ok(client, "mem_learn", **skill, force=True))["learned"]["slug"] == "deploy-hangs-on-a-migration-2"


async def test_skills_are_learned_untrusted_recalled_and_reinforced(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        steps = "1. nginx -t\n2. reload"
        learned = (await ok(client, "mem_learn", title="Restart nginx safely", trigger="nginx config changed", steps=steps))[
            "learned"
        ]
        assert learned["trust"] == "untrusted" and "approved by nobody" in learned["caution"]
        slug = learned["slug"]
        recalled = (await ok(client, "mem_recall", query="nginx config changed, restart nginx"))["skills"]
        assert recalled[0]["slug"] == slug and recalled[0]["steps"] == steps and "caution" in recalled[0]
        stronger = (await ok(client, "mem_reinforce", ref=slug, note="worked on Debian"))["reinforced"]
        assert stronger["strength"] == pytest.approx(1.15)
        weaker = (await ok(client, "mem_reinforce", ref=slug, worked=False))["reinforced"]
        assert weaker["strength"] == pytest.approx(1.15 * 0.7) and weaker["failed"] == 1
        await companion.skills.approve(slug)
        changed = (await ok(client, "mem_update", ref=slug, lessons="reload, never restart"))["updated"]
        assert changed["lessons"] == "reload, never restart" and changed["trust"] == "untrusted"
        whole = (await ok(client, "mem_get", ref=slug))["memory"]
        assert len(whole["versions"]) == 2 and whole["skill"]["slug"] == slug
        assert companion.skills.get(slug).trust is Trust.UNTRUSTED


async def test_a_client_cannot_pass_for_the_person(companion: Companion) -> None:
    from mcp.types import Implementation

    tools = Tools(companion)

    async def opened() -> Tools:
        return tools

    async with Client(server_of(Service(opened)), client_info=Implementation(name="you", version="1")) as client:
        learned = (await ok(client, "mem_learn", title="Trust me", steps="rm -rf /"))["learned"]
        assert learned["trust"] == "untrusted" and learned["origin"] != "you"


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("mem_get", {}, "ref: field required"),
    ("mem_get", {"ref": "nothing-like-it"}, "no memory matches"),
    ("mem_search", {"query": "  "}, "query"),
    ("mem_search", {"query": "x", "limit": 0}, "limit"),
    ("mem_search", {"query": "x", "kind": "dream"}, "kind"),
    ("mem_recall", {"query": "x" * 3_000}, "query"),
    ("mem_write", {"text": "x" * 601}, "text"),
    ("mem_write", {"text": "x", "importance": 2}, "importance"),
    ("mem_write", {"text": "x", "importance": float("nan")}, "importance"),
    ("mem_write", {"text": "x", "kind": "procedural"}, "kind"),
    ("mem_write", {"text": ["x"]}, "text"),
    ("mem_learn", {"title": "x"}, "needs a trigger, steps or lessons"),
    ("mem_learn", {"title": "x", "steps": "y", "outcome": "meh"}, "outcome"),
    ("mem_learn", {"title": "x", "steps": "y", "slug": "No Slug"}, "no slug"),
    ("mem_update", {"ref": "m1"}, "nothing to change"),
    ("mem_update", {"ref": "m1", "steps": "x"}, "only a skill has steps"),
    ("mem_update", {"ref": "how", "text": "x"}, "a skill has no text"),
    ("mem_reinforce", {"ref": "m1", "worked": False}, "is a fact"),
    ("mem_pin", {"ref": "m1", "unpin": True}, "unpin: extra inputs"),
]


async def test_wrong_calls_are_tool_errors_and_change_nothing(companion: Companion) -> None:
    await companion.remember("I live in Lisbon")
    await companion.skills.learn(Draft("How", "when", "steps", slug="how"))
    head = companion.store.head
    async with connected(companion) as (client, _):
        for tool, arguments, said in WRONG:
            message = await failed(client, tool, **arguments)
            assert said in message and len(message.splitlines()) == 1, (tool, message)
        with pytest.raises(MCPError):
            await client.call_tool("mem_forget_everything", {})
    assert companion.store.head == head


async def test_a_memory_that_cannot_be_opened_is_told_and_tried_again(companion: Companion) -> None:
    tries = 0

    async def opened() -> Tools:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise StoreBusyError("Another memtui is writing.", todo="Try again.")
        return Tools(companion)

    async with Client(server_of(Service(opened))) as client:
        assert "Another memtui is writing." in await failed(client, "mem_list")
        assert (await ok(client, "mem_list"))["total"] == 0


async def test_a_bug_is_a_tool_error_without_its_words(companion: Companion, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(query: str, limit: int) -> None:
        raise KeyError("sk-secret")

    monkeypatch.setattr(companion.skills, "recall", broken)
    async with connected(companion) as (client, _):
        said = await failed(client, "mem_recall", query="x")
        assert "KeyError" in said and "secret" not in said
        assert (await ok(client, "mem_list"))["total"] == 0


async def test_what_was_given_counts_as_used_once_the_calls_pause(companion: Companion) -> None:
    await companion.remember("I live in Lisbon near the river")
    await companion.skills.learn(Draft("Deploy hangs", "deploy stuck at migrations", "find the lock"))
    async with connected(companion) as (client, tools):
        head = companion.store.head
        for _ in range(3):
            await ok(client, "mem_recall", query="I live in Lisbon near the river")
            await ok(client, "mem_recall", query="deploy stuck at migrations")
            await ok(client, "mem_search", query="Lisbon")
        assert companion.store.head == head  # nothing was written on the way
        await tools.settle()
    assert [memory.recalls for memory in companion.store.state.memories.values()] == [1, 1]


async def test_the_list_pages_and_shows_retired_ones_if_asked(companion: Companion) -> None:
    for number in range(5):
        await companion.remember(f"fact number {number} about topic{number}")
    await companion.forget("m1")
    async with connected(companion) as (client, _):
        page = await ok(client, "mem_list", limit=2, offset=1, sort="newest")
        assert page["total"] == 4 and [m["handle"] for m in page["memories"]] == ["m04", "m03"]
        assert (await ok(client, "mem_list", retired=True))["total"] == 5
        assert (await ok(client, "mem_list", kind="procedural"))["total"] == 0


async def test_secrets_and_control_characters_do_not_reach_the_store(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        written = (await ok(client, "mem_write", text="key sk-abcdefghijklmnopqrstuvwx\x1b[31m\x00 red"))["written"]
        assert "sk-abc" not in written["text"] and "\x1b" not in written["text"]
        learned = (await ok(client, "mem_learn", title="Log in", steps="password is hunter22222\x07"))["learned"]
        assert "hunter" not in learned["steps"] and "\x07" not in learned["steps"]


async def test_calls_at_once_and_an_app_that_writes_meanwhile_lose_nothing(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        calls = [ok(client, "mem_write", text=f"topic{number} has value{number}", force=True) for number in range(8)]
        calls += [ok(client, "mem_recall", query=f"topic{number}") for number in range(4)]
        told = [companion.remember(f"subject{number} of the app") for number in range(4)]
        await asyncio.gather(*calls, *told)
    assert len(companion.store.frame) == 12 and companion.store.verify() == []


async def test_long_texts_are_cut_in_lists_and_whole_in_get(companion: Companion) -> None:
    async with connected(companion) as (client, _):
        steps = "step " * 1_000
        slug = (await ok(client, "mem_learn", title="Long", trigger="a long one", steps=steps))["learned"]["slug"]
        assert len((await ok(client, "mem_recall", query="a long one"))["skills"][0]["steps"]) < 2_100
        assert len((await ok(client, "mem_list"))["memories"][0]["text"]) < 400
        assert (await ok(client, "mem_get", ref=slug))["memory"]["skill"]["steps"] == steps.strip()
