"""The command palette: every action and every slash command, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from memtui.chat.commands import COMMANDS
from memtui.chat.law_choice import LAWS
from memtui.ui.actions import key_words

if TYPE_CHECKING:
    from memtui.ui.actions import Action
    from memtui.ui.app import MemtuiApp


class Commanded(Protocol):
    """A screen the palette can drive."""

    def palette_actions(self) -> tuple[Action, ...]:
        """What can be done here."""
        ...

    def take_command(self, line: str) -> None:
        """Run a slash command, or put it into the prompt where it needs an argument."""
        ...


class MemtuiCommands(Provider):
    """What the screen in front offers."""

    async def discover(self) -> Hits:
        """Everything, before a letter is typed."""
        for name, help_text, run in self._entries():
            yield DiscoveryHit(Content(name), run, name, help_text)

    async def search(self, query: str) -> Hits:
        """What matches."""
        matcher = self.matcher(query)
        for name, help_text, run in self._entries():
            score = max(matcher.match(name), matcher.match(help_text) * 0.6)
            if score > 0:
                # what is in brackets is no markup
                shown = Content(name) if "[" in name else matcher.highlight(name)
                yield Hit(score, shown, run, name, help_text)

    def _entries(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        if not hasattr(self.screen, "palette_actions"):
            return
        screen = cast("Commanded", self.screen)
        for action in screen.palette_actions():
            keys = key_words(cast("MemtuiApp", self.app).keymap_keys(action.id, action.key))
            yield action.label, f"{action.tooltip} ({keys})", partial(self.screen.run_action, action.action)
        for command in COMMANDS:
            yield (
                f"/{command.name} {command.arguments}".rstrip(),
                command.help,
                partial(screen.take_command, f"/{command.name}"),
            )
        for by in ("kind", "law"):
            yield f"Survival: by {by}", "Chart how long memories live", partial(screen.take_command, f"/survival {by}")
        for name, what in LAWS.items():
            yield f"Law: {name}", f"Read memory by it: {what}", partial(screen.take_command, f"/law {name}")
