"""What a vault keeps for itself, out of Obsidian's sight: which file is whose, and the events that are of no record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FOLDER: Final = ".memtui"
FILES: Final = "files.json"
LEDGER: Final = "ledger.jsonl"
_FORMAT: Final = "memtui-vault"
VERSION: Final = 1


@dataclass
class Manifest:
    """The files of a vault as they were written last.

    Attributes:
        length, head: the end of the ledger that was exported.
        files: by memory id: path (relative, POSIX) and SHA-256 of the file.
    """

    length: int = 0
    head: str = ""
    files: dict[str, tuple[str, str]] = field(default_factory=dict)

    def text(self) -> str:
        """As it is kept."""
        files = {identity: list(entry) for identity, entry in self.files.items()}
        data: Mapping[str, Any] = {
            "format": _FORMAT, "version": VERSION, "events": self.length, "head": self.head, "files": files,
        }  # fmt: skip
        return json.dumps(data, ensure_ascii=False, indent=0) + "\n"


def read_manifest(vault: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none that can be used."""
    try:
        data = json.loads((vault / FOLDER / FILES).read_bytes())
        if data["format"] != _FORMAT or data["version"] != VERSION:
            return None
        files = {str(identity): (str(path), str(digest)) for identity, (path, digest) in data["files"].items()}
        return Manifest(int(data["events"]), str(data["head"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
