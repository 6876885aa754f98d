"""Pictures of the panel. After a wanted change: `pytest tests/ui/panel --snapshot-update`, then look at them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.memory.frame import Frame
from memtui.memory.model import Memory, RetireReason, Status
from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.card_content import CardTexts
from tests.ui.panel.panel_app import HOSTILE, LAW, NOW, NOW_US, PanelApp, StripApp, frame_of, many, settle, told_frame

Snap = Callable[..., bool]
Before = Callable[[Pilot[Any]], Awaitable[None]]
TALL = (60, 34)


def describe(item: Memory) -> CardTexts:
    return CardTexts(
        reason="a change of home alters advice",
        retire_reason="The newer one names another city." if not item.active else "",
        history=[
            (item.created_at, "remembered"),
            (item.created_at + timedelta(hours=6), "given to a reply"),
            (item.last_recall, "told again"),
        ],
    )


def panel(**options: Any) -> PanelApp:
    app = PanelApp(options.pop("frame", None) or told_frame(), **options)
    app.panel.describe = describe
    return app


async def calm(pilot: Pilot[Any]) -> None:
    """Three memories were given to the last reply, and one of them is selected."""
    app: PanelApp = pilot.app  # type: ignore[assignment]
    await settle(pilot)
    app.panel.glow(app.frame.ids[:3])
    app.panel.select(app.frame.ids[2])
    await settle(pilot)


async def previewed(pilot: Pilot[Any]) -> None:
    app: PanelApp = pilot.app  # type: ignore[assignment]
    await calm(pilot)
    app.panel.preview(NOW_US + 76 * HOUR_US)
    await settle(pilot)


async def far_previewed(pilot: Pilot[Any]) -> None:
    app: PanelApp = pilot.app  # type: ignore[assignment]
    await calm(pilot)
    app.panel.preview(NOW_US + 40 * 24 * HOUR_US)
    await settle(pilot)


async def retired(pilot: Pilot[Any]) -> None:
    app: PanelApp = pilot.app  # type: ignore[assignment]
    await settle(pilot)
    app.panel.select(app.frame.ids[10])
    await settle(pilot)


async def moving(pilot: Pilot[Any]) -> None:
    """A third of a second after a reply and a sleep pass."""
    app: PanelApp = pilot.app  # type: ignore[assignment]
    app.panel.reduced_motion = False
    await calm(pilot)
    for row in (4, 6):
        gone = replace(app.frame.memories[row], status=Status.RETIRED, retired_at=NOW, retired_reason=RetireReason.MERGED)
        app.frame.upsert(gone, app.frame.texts[row])
    app.panel.show(app.frame, LAW, NOW_US)
    app.second = 0.35
    app.rows.motion.step()
    app.rows.motion._stop()
    await settle(pilot)


async def scrolled(pilot: Pilot[Any]) -> None:
    app: PanelApp = pilot.app  # type: ignore[assignment]
    await settle(pilot)
    app.panel.sort_by("kind")
    app.rows.action_page(3)
    await settle(pilot)


@dataclass(frozen=True)
class Shot:
    before: Before
    size: tuple[int, int] = TALL
    width: int = 57
    theme: str = "memtui-dark"
    frame: Callable[[], Frame] = told_frame


SHOTS: Mapping[str, Shot] = {
    "active": Shot(calm),
    "preview": Shot(previewed),
    "far_preview": Shot(far_previewed),
    "retired": Shot(retired),
    "moving": Shot(moving),
    "scrolled": Shot(scrolled, frame=lambda: many(500)),
    "empty": Shot(settle, frame=lambda: Frame(0)),
    "hostile": Shot(settle, frame=lambda: frame_of(HOSTILE)),
    "light": Shot(previewed, theme="memtui-light"),
    "high_contrast": Shot(previewed, theme="high-contrast"),
    "colour_blind_safe": Shot(previewed, theme="colour-blind-safe"),
    "nord": Shot(previewed, theme="nord"),
    "ansi": Shot(previewed, theme="ansi-dark"),
    "drawer_80x24": Shot(previewed, size=(80, 24), width=60),
    "narrow_40x24": Shot(previewed, size=(42, 24), width=40),
    "wide_100x30": Shot(previewed, size=(104, 30), width=100),
    "low_57x12": Shot(previewed, size=(60, 12)),
}


@pytest.mark.parametrize("name", SHOTS)
def test_picture(snap_compare: Snap, name: str) -> None:
    shot = SHOTS[name]
    app = panel(frame=shot.frame(), width=shot.width, theme=shot.theme)
    assert snap_compare(app, terminal_size=shot.size, run_before=shot.before)


def test_picture_of_the_card_as_a_screen(snap_compare: Snap) -> None:
    async def only_the_card(pilot: Pilot[Any]) -> None:
        app: PanelApp = pilot.app  # type: ignore[assignment]
        await calm(pilot)
        app.panel.rows.display = app.panel.header.display = False
        app.panel.card.styles.height = "1fr"
        await settle(pilot)

    assert snap_compare(panel(width=78), terminal_size=(80, 24), run_before=only_the_card)


def test_picture_without_colour(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(panel(), terminal_size=TALL, run_before=previewed)


def test_picture_of_the_strip(snap_compare: Snap) -> None:
    async def given(pilot: Pilot[Any]) -> None:
        app: StripApp = pilot.app  # type: ignore[assignment]
        await settle(pilot)
        app.strip.glow(app.frame.ids[:3])
        await settle(pilot)

    assert snap_compare(StripApp(many(42)), terminal_size=(80, 3), run_before=given)
