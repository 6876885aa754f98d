"""Opening a what-if from a stage: of memory now, or of the past that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.errors import InputError

if TYPE_CHECKING:
    from memtui.ui.screens.stage import Stage


def open_what_if(stage: Stage, changes: Mapping[str, str] | None = None) -> None:
    """Show memory as it would be with these changes beside memory as it is.

    Raises:
        InputError: there is no memory yet; an unknown setting or a wrong value, by name.
    """
    companion = stage.companion
    if companion is None:
        raise InputError("Memory is still being opened.", todo="Try again in a moment.")
    from memtui.ui.screens.whatif_screen import WhatIfScreen

    then = stage.past.then
    until, title = (then.moment, f"as of {stage.past.date()}") if then is not None else (None, "")
    stage.app.push_screen(WhatIfScreen(companion, changes, until=until, title=title))
