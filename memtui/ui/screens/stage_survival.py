"""Opening the survival chart from a stage: of memory now, or of the past that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memtui.errors import InputError
from memtui.memory.texts import one_line

if TYPE_CHECKING:
    from memtui.chat.survival import By
    from memtui.ui.screens.stage import Stage


def open_survival(stage: Stage, by: str = "") -> None:
    """Show how long memories live, by `kind` (if nothing is said) or by `law`.

    Raises:
        InputError: there is no memory yet, or something else is to be told apart.
    """
    wanted = by.strip().lower().removeprefix("by ") or "kind"
    if wanted not in ("kind", "law"):
        raise InputError(f"There is no survival by '{one_line(by, 20)}'.", todo="Write /survival kind or /survival law.")
    companion = stage.companion
    if companion is None:
        raise InputError("Memory is still being opened.", todo="Try again in a moment.")
    from memtui.ui.screens.survival_screen import SurvivalScreen

    then = stage.past.then
    until, title = (then.moment, f"as of {stage.past.date()}") if then is not None else (None, "")
    exports = stage.memtui.home.exports
    stage.app.push_screen(SurvivalScreen(companion, exports, cast("By", wanted), until=until, title=title))
