"""What the first paint needs of the settings, without reading them anew: pydantic alone would take a third of the time.

The values of the last run are kept with the fingerprint of what they were read from (the settings file and the environment).
While that is the same they are what a reading would give; else the settings are read first, and what is wrong with them is
said before any screen.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.locations import HOME_VARIABLE

if TYPE_CHECKING:
    from memtui.config import Settings

_PREFIX = "MEMTUI_"


@dataclass(frozen=True, slots=True)
class StartSettings:
    """The settings a first screen shows; the defaults are those of `config`.

    Attributes:
        theme_set: whether a theme was asked for in the settings, rather than chosen on the screen.
    """

    theme: str = "memtui-dark"
    theme_set: bool = False
    reduced_motion: bool = False
    sort: str = "salience"
    timezone: str = "local"
    provider: str = "offline"
    model: str = ""
    nightly: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> StartSettings:
        """Those of full settings."""
        return cls(
            theme=settings.ui.theme,
            theme_set="theme" in settings.ui.model_fields_set,
            reduced_motion=settings.ui.reduced_motion,
            sort=settings.ui.sort,
            timezone=settings.timezone,
            provider=settings.mind.provider,
            model=settings.mind.model,
            nightly=settings.sleep.nightly,
            keys=dict(settings.ui.keys),
        )

    @classmethod
    def from_data(cls, data: object) -> StartSettings | None:
        """Those that were kept; None when they are not whole."""
        if not isinstance(data, Mapping):
            return None
        default = asdict(cls())
        if any(type(data.get(each.name)) is not type(default[each.name]) for each in fields(cls)):
            return None
        return cls(**{each.name: data[each.name] for each in fields(cls)})

    @property
    def mind_label(self) -> str:
        """What to call the configured mind before it exists."""
        if self.provider == "offline":
            return "offline mind"
        return f"{self.model} · {self.provider}" if self.model else self.provider


def fingerprint(file: Path, environ: Mapping[str, str] | None = None) -> str:
    """What settings are read from, as a hash: the file's bytes and the variables that win over it. "" if nothing is set."""
    environ = os.environ if environ is None else environ
    set_there = sorted(
        (name.upper(), value)
        for name, value in environ.items()
        if name.upper().startswith(_PREFIX) and name.upper() != HOME_VARIABLE
    )
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError:
        return "unreadable"
    if not data and not set_there:
        return ""
    return hashlib.sha256(repr((data, set_there)).encode("utf-8", "replace")).hexdigest()


def start_settings(print_now: str, kept: Mapping[str, Any], load: Callable[[], Settings]) -> StartSettings:
    """The settings to begin with.

    Args:
        print_now: the present `fingerprint`.
        kept: the `fingerprint` and the values (`start`) of the last run.
        load: reads the full settings.

    Raises:
        ConfigError: they were changed and can't be used.
    """
    if print_now == "":
        return StartSettings()
    if print_now == kept.get("fingerprint") and (same := StartSettings.from_data(kept.get("start"))) is not None:
        return same
    return StartSettings.of(load())


class SettingsAtHand:
    """The settings of a run: what the first paint needs at once, all of them when they are asked for.

    Attributes:
        start: those of the first paint.
        print_now: the fingerprint they belong to; "" when the settings were given and not read.
    """

    def __init__(self, given: Settings | Callable[[], Settings], file: Path, kept: Mapping[str, Any]) -> None:
        """Args:
        given: the settings, or what reads them.
        file: what they are read from.
        kept: see `start_settings`.

        Raises:
            ConfigError: they were changed and can't be used.
        """
        self._all: Settings | None = None if callable(given) else given
        self._load = given if callable(given) else None
        self.print_now = fingerprint(file) if callable(given) else ""
        self.start = start_settings(self.print_now, kept, self.all) if callable(given) else StartSettings.of(given)

    def all(self) -> Settings:
        """All settings, read at first use.

        Raises:
            ConfigError: they can't be used.
        """
        if self._all is None:
            assert self._load is not None
            self._all = self._load()
        return self._all
