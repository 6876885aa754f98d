"""Every path memtui uses, in one place.

`MEMTUI_HOME` (or `--home`) moves everything a user owns into one folder; without it platformdirs decides.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HOME_VARIABLE = "MEMTUI_HOME"
_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Home:
    """The folders and files of one user.

    Attributes:
        data: sessions, the default store and the head of the ledger.
        config: settings and the user's own themes.
        logs: log files (never holding texts or secrets).
    """

    data: Path
    config: Path
    logs: Path

    @property
    def settings_file(self) -> Path:
        """The TOML settings file (may be absent)."""
        return self.config / "settings.toml"

    @property
    def store(self) -> Path:
        """The folder of the default LanceDB store."""
        return self.data / "store"

    @property
    def sessions(self) -> Path:
        """The folder of recorded chats, one JSONL file each."""
        return self.data / "sessions"

    @property
    def anchors(self) -> Path:
        """The folder of the heads of ledgers that are kept outside their databases."""
        return self.data / "anchors"

    @property
    def skills(self) -> Path:
        """The folder of the skills' snapshot and their archive."""
        return self.data / "skills"

    @property
    def hooks(self) -> Path:
        """The folder of what hooks count and of recaps of other agents' sessions."""
        return self.data / "hooks"

    @property
    def vault(self) -> Path:
        """The folder the scheduled export writes its vault into."""
        return self.data / "vault"

    @property
    def bench(self) -> Path:
        """The folder of checkpoints of long bench runs."""
        return self.data / "bench"

    @property
    def exports(self) -> Path:
        """The folder of charts saved from the screen (may be absent)."""
        return self.data / "exports"

    @property
    def themes(self) -> Path:
        """The folder of the user's own themes."""
        return self.config / "themes"

    @property
    def ui_state(self) -> Path:
        """What the screen remembers between two runs (may be absent)."""
        return self.data / "ui.json"

    @property
    def log_file(self) -> Path:
        """The log of the running program."""
        return self.logs / "memtui.log"


def home(override: str | Path | None = None) -> Home:
    """The user's home: `override`, else `MEMTUI_HOME`, else the system's own folders. Creates nothing."""
    root = override or os.environ.get(HOME_VARIABLE)
    if root:
        base = Path(root).expanduser().absolute()
        return Home(data=base, config=base, logs=base / "logs")
    return system_home()


def system_home() -> Home:
    """The home in the system's own folders, whatever the environment says."""
    import platformdirs

    dirs = platformdirs.PlatformDirs("memtui", appauthor=False)
    return Home(data=dirs.user_data_path, config=dirs.user_config_path, logs=dirs.user_log_path)


def own_command(home: Home) -> tuple[str, ...]:
    """The command that runs this very memtui on `home`, from anywhere; what it is to do comes behind.

    `-P`: it is started in folders of others, and no file of theirs may be imported.
    """
    own = () if home == system_home() else ("--home", str(home.data))
    return (sys.executable, "-P", "-m", "memtui", *own)


def store_folder(home: Home, environ: Mapping[str, str]) -> Path | None:
    """The folder of the home's store, read without the settings' model: for processes that must be quick.

    None where the store is elsewhere (object storage), or where the settings can't be read.
    """
    named = environ.get("MEMTUI_STORE")
    if named is None and home.settings_file.is_file():
        try:
            named = tomllib.loads(home.settings_file.read_text(encoding="utf-8")).get("store")
        except (OSError, ValueError):
            return None
    if not named:
        return home.store
    if not isinstance(named, str) or "://" in named:
        return None
    return Path(named).expanduser().absolute()


def shipped_themes() -> Path:
    """The themes that come with memtui (in the wheel, or at the top of a checkout)."""
    return _shipped("themes")


def sample_sessions() -> Path:
    """The sample sessions that come with memtui (in the wheel, or at the top of a checkout)."""
    return _shipped("sample_sessions")


def _shipped(name: str) -> Path:
    inside = _PACKAGE / "shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
