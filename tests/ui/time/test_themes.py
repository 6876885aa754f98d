"""Theme files: the shipped ones can be read by everyone, a broken one is named and skipped."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Button, Footer, Input

from memtui.locations import shipped_themes
from memtui.ui.themes import MEMORY_VARIABLES, load_themes

SHIPPED, SHIPPED_PROBLEMS = load_themes([shipped_themes()])
TEXTS = (
    *(
        "text",
        "text-muted",
        "foreground",
        "foreground-muted",
        "primary",
        "secondary",
        "accent",
        "warning",
        "error",
        "success",
    ),
    *("text-primary", "text-secondary", "text-accent", "text-warning", "text-error", "text-success"),
    *("kind-episodic", "kind-semantic", "kind-consolidated", "kind-procedural", "bar", "floor"),
)
ANSI_16 = {
    *("#000000", "#800000", "#008000", "#808000", "#000080", "#800080", "#008080", "#c0c0c0"),
    *("#808080", "#ff0000", "#00ff00", "#ffff00", "#0000ff", "#ff00ff", "#00ffff", "#ffffff"),
}


def colours(theme: Theme) -> dict[str, str]:
    """Every design variable of a theme."""
    return {**theme.to_color_system().generate(), **theme.variables}


def luminance(colour: Color) -> float:
    """WCAG 2 relative luminance."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in colour.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(text: str, background: str) -> float:
    """WCAG 2 contrast, 1..21; a see-through text colour is laid over its background."""
    behind = Color.parse(background)
    light, dark = sorted((luminance(behind + Color.parse(text)), luminance(behind)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_the_shipped_themes_are_whole() -> None:
    assert SHIPPED_PROBLEMS == []
    names = [theme.name for theme in SHIPPED]
    assert {"memtui-dark", "memtui-light", "high-contrast", "colour-blind-safe"} <= set(names)
    assert len(names) >= 6
    assert names == sorted(names)
    for theme in SHIPPED:
        assert set(MEMORY_VARIABLES) <= set(theme.variables), theme.name


@pytest.mark.parametrize("theme", SHIPPED, ids=lambda theme: theme.name)
def test_text_stands_out_from_its_background(theme: Theme) -> None:
    named = colours(theme)
    weak = {
        f"{text} on {behind}": round(contrast(named[text], named[behind]), 2)
        for text, behind in itertools.product(TEXTS, ("background", "surface", "panel"))
        if contrast(named[text], named[behind]) < 4.5
    }
    assert weak == {}
    for text, behind in (("block-cursor-foreground", "block-cursor-background"), ("button-color-foreground", "primary")):
        assert contrast(named[text], named[behind]) >= 4.5


@pytest.mark.parametrize("theme", SHIPPED, ids=lambda theme: theme.name)
def test_a_glowing_row_can_still_be_read(theme: Theme) -> None:
    """The panel lays the glow at 45 % under a row that was just recalled."""
    named = colours(theme)
    glowing = Color.parse(named["background"]) + Color.parse(named["glow"]).with_alpha(0.45)
    assert contrast(named["text"], glowing.hex) >= 4.5
    assert contrast(glowing.hex, named["background"]) >= 1.2


@pytest.mark.parametrize("theme", SHIPPED, ids=lambda theme: theme.name)
def test_rails_and_ghosts_can_be_seen(theme: Theme) -> None:
    named = colours(theme)
    assert contrast(named["bar-ghost"], named["background"]) >= 1.5
    assert contrast(named["text-disabled"], named["background"]) >= 3
    assert contrast(named["bar"], named["bar-ghost"]) >= 2


def test_high_contrast_uses_only_the_sixteen_colours_at_their_extremes() -> None:
    named = colours(next(theme for theme in SHIPPED if theme.name == "high-contrast"))
    for name in (*TEXTS, "background", "surface", "panel", "bar-ghost", "glow"):
        colour = Color.parse(named[name])
        # Textual's own shading rounds by one step; a terminal takes the nearest anyway.
        assert any(max(abs(a - b) for a, b in zip(colour.rgb, Color.parse(ansi).rgb, strict=True)) <= 1 for ansi in ANSI_16)
    assert contrast(named["text"], named["background"]) >= 20


def test_colour_blind_kinds_differ_in_lightness_or_in_blue_yellow() -> None:
    """Red and green cones may fail: what is left is lightness and the blue-yellow axis."""
    named = colours(next(theme for theme in SHIPPED if theme.name == "colour-blind-safe"))
    kinds = [Color.parse(named[name]) for name in MEMORY_VARIABLES if name.startswith("kind-")]
    for one, other in itertools.combinations(kinds, 2):
        by_light = abs(luminance(one) - luminance(other)) > 0.05
        by_blue = abs((one.b - (one.r + one.g) / 2) - (other.b - (other.r + other.g) / 2)) > 40
        assert by_light or by_blue, (one, other)


def test_a_users_theme_takes_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    write(tmp_path, "mine.toml", 'name = "memtui-dark"\nprimary = "#ff0000"\n')
    write(tmp_path, "my own.toml", 'primary = "teal"\n')
    themes, problems = load_themes([shipped_themes(), tmp_path])
    assert problems == []
    assert next(theme for theme in themes if theme.name == "memtui-dark").primary == "#ff0000"
    assert any(theme.name == "my own" for theme in themes)
    assert len(themes) == len(SHIPPED) + 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('primary = "#12"', ("primary", "'#12' is no colour")),
        ('primary = "#123456"\nprimry = "#123456"', ("primry", "no such key")),
        ("dark = true", ("primary", "missing")),
        ('primary = "#123456"\ndark = "yes"', ("dark", "boolean")),
        ('primary = "#123456"\nluminosity_spread = 9.0', ("luminosity_spread", "less than or equal to 1")),
        ('primary = "#123456"\nname = "[red]x"', ("name", "is no name")),
        ('primary = "#123456"\n[variables]\nbart = "#123456"', ("variables.bart", "no such variable")),
        ('primary = "#123456"\n[variables]\nbar = "12%"', ("variables.bar", "no colour")),
        ('primary = "#123456"\n[variables]\nbar = "red; } * { display: none"', ("variables.bar", "no colour")),
        ('primary = "#123456"\n[variables]\nlink-style = "loud"', ("variables.link-style", "no text style")),
        ('primary = "#123456"\n[variables]\nbar = 3', ("variables.bar", "string")),
        ("primary = ", ("no TOML",)),
        ("[" * 5000, ("no TOML",)),
    ],
)
def test_a_broken_theme_is_named_and_skipped(tmp_path: Path, text: str, told: tuple[str, ...]) -> None:
    write(tmp_path, "broken.toml", text)
    write(tmp_path, "whole.toml", 'primary = "#123456"')
    themes, problems = load_themes([tmp_path])
    assert [theme.name for theme in themes] == ["whole"]
    assert len(problems) == 1
    for part in ("broken.toml", *told):
        assert part in problems[0]


def test_files_that_are_no_themes_at_all(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    write(tmp_path, "large.toml", "# " + "x" * 70_000)
    write(tmp_path, "notes.txt", "not a theme")
    themes, problems = load_themes([tmp_path, tmp_path / "nowhere", tmp_path / "notes.txt"])
    assert themes == []
    assert len(problems) == 4
    assert any("not UTF-8" in problem for problem in problems)
    assert any("64 KB" in problem for problem in problems)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.binary(max_size=300))
def test_no_bytes_whatever_raise(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "any.toml").write_bytes(data)
    themes, problems = load_themes([tmp_path])
    assert len(themes) + len(problems) == 1


class Everything(App[None]):
    """Widgets that read most of the design variables."""

    CSS = """
    Screen { color: $text; background: $background; }
    #one { color: $kind-episodic; background: $glow 20%; border: tall $bar; text-style: $block-cursor-text-style; }
    """

    def compose(self) -> ComposeResult:
        yield Input(id="one")
        yield Button("go", variant="primary")
        yield Footer()


async def test_all_themes_can_be_worn(tmp_path: Path) -> None:
    write(
        tmp_path,
        "odd.toml",
        'primary = "ansi_red"\nansi = true\n[variables]\ntext = "auto 50%"\nlink-style = "bold not underline"\n'
        'kind-episodic = "ansi_blue"\nbar = "rgb(1,2,3)"\nglow = "hsl(10,20%,30%)"\nborder = "red 30%"\n',
    )
    themes, problems = load_themes([shipped_themes(), tmp_path])
    assert problems == []

    class Wearing(Everything):
        def get_theme_variable_defaults(self) -> dict[str, str]:
            return dict.fromkeys(MEMORY_VARIABLES, "red")

    app = Wearing()
    async with app.run_test() as pilot:
        for theme in themes:
            app.register_theme(theme)
        for theme in themes:
            app.theme = theme.name
            await pilot.pause()
            assert app.current_theme.name == theme.name
