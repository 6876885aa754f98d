"""Completing slash commands by keys and mouse."""

from __future__ import annotations

from memtui.ui.widgets.slash_menu import SlashEntry, SlashMenu, narrowed
from tests.ui.chat.chat_app import ENTRIES, ChatApp, chat


def names(menu: SlashMenu) -> list[str]:
    return [entry.name for entry in menu.left]


def rows(app: ChatApp) -> list[str]:
    return [app.menu.render_line(y).text.rstrip() for y in range(app.menu.size.height)]


def test_narrowing() -> None:
    def left(line: str) -> list[str]:
        return [entry.name for entry in narrowed(ENTRIES, line)]

    assert left("/") == [entry.name for entry in ENTRIES]
    assert left("/s") == ["sleep", "sessions", "restore"]  # beginnings first, then the rest
    assert left("/SLEEP") == ["sleep"]
    assert left("/clock") == ["warp"]  # by what it does
    assert left("/zzz") == []
    assert left("/warp 3d") == ["warp"]
    assert left("/sleep ") == []  # it takes no arguments: nothing to remind of
    assert left("hello /s") == left("") == left("/s\n") == []
    assert left("/[red]") == []


async def test_a_slash_opens_it_and_typing_narrows_it() -> None:
    async with chat(size=(70, 24)) as (app, pilot):
        await pilot.press("/")
        assert app.menu.is_open
        assert rows(app)[0].startswith("▸ /remember TEXT")
        assert rows(app)[0].endswith("Keep this, whatever the mind thinks of it")
        await pilot.press("w")
        assert names(app.menu) == ["warp"]
        await pilot.press("backspace", "backspace")
        assert not app.menu.is_open
        assert app.menu.size.height == 0


async def test_down_and_tab_complete() -> None:
    async with chat() as (app, pilot):
        await pilot.press("/", "s", "down", "down", "tab")
        assert app.prompt.draft == "/restore "
        assert names(app.menu) == ["restore"]  # a reminder of its argument
        await pilot.press(*"m31", "enter")
        assert app.sent == ["/restore m31"]
        assert not app.menu.is_open
        await pilot.press("/", "up", "tab")
        assert app.prompt.draft == "/help"


async def test_enter_runs_what_needs_no_argument() -> None:
    async with chat() as (app, pilot):
        await pilot.press("/", *"sl", "enter")
        assert app.sent == ["/sleep"]
        await pilot.press("/", *"wa", "enter")
        assert app.sent == ["/sleep"]
        assert app.prompt.draft == "/warp "
        app.prompt.draft = "/sleep"
        await pilot.press("enter")
        assert app.sent == ["/sleep", "/sleep"]
        app.prompt.insert_text("/warp")
        await pilot.press("enter")
        assert app.prompt.draft == "/warp "


async def test_escape_closes_it_and_keeps_the_text() -> None:
    async with chat() as (app, pilot):
        await pilot.press("/", "s", "escape")
        assert not app.menu.is_open
        assert app.prompt.draft == "/s"
        await pilot.press("l")
        assert app.menu.is_open
        await pilot.press("escape", "escape")
        assert app.prompt.draft == ""


async def test_the_mouse_picks() -> None:
    async with chat(size=(70, 24)) as (app, pilot):
        await pilot.press("/")
        await pilot.hover(app.menu, offset=(5, 2))
        assert app.menu.chosen == 2
        await pilot.click(app.menu, offset=(5, 2))
        await pilot.pause()
        assert app.sent == ["/sleep"]
        assert app.focused is app.prompt
        await pilot.press("/")
        await pilot.click(app.menu, offset=(5, 4))
        await pilot.pause()
        assert app.prompt.draft == "/warp "


async def test_a_long_list_scrolls_and_counts() -> None:
    entries = [SlashEntry(f"command{n:02d}", "", "help [red]x[/] 漢字 \x1b") for n in range(30)]
    async with chat(size=(50, 24)) as (app, pilot):
        app.menu.entries = entries
        await pilot.press("/")
        assert len(rows(app)) == 8
        assert rows(app)[-1].strip() == "1 of 30"
        await pilot.press("up")
        assert rows(app)[-2].startswith("▸ /command29")
        assert rows(app)[-1].strip() == "30 of 30"
        await pilot.press("down")
        assert rows(app)[0].startswith("▸ /command00")
        assert "help [red]x[/] 漢字 ␛" in rows(app)[0]


async def test_a_small_terminal_keeps_room_for_the_chat() -> None:
    async with chat(size=(40, 12)) as (app, pilot):
        await pilot.press("/")
        assert 1 <= app.menu.size.height <= 4
        assert app.transcript.size.height >= 4
        assert all(len(row) <= 40 for row in rows(app))


async def test_a_file_path_is_no_command() -> None:
    async with chat() as (app, pilot):
        app.prompt.insert_text("/usr/bin is a path")
        await pilot.pause()
        assert not app.menu.is_open
        await pilot.press("enter")
        assert app.sent == ["/usr/bin is a path"]
