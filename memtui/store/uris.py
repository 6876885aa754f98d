"""Where a store is: a folder of this machine, or something only LanceDB can reach.

Locks, fsync and the head beside the ledger need a folder; everywhere else the object store gives its own guarantees and
those steps are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from memtui.errors import InputError

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+)://")
"""Two letters at least: `C:/store` is a drive, not a scheme."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is.

    Attributes:
        uri: what LanceDB is given.
        folder: the folder, absolute, when the store is on this machine; else None.
    """

    uri: str
    folder: Path | None

    @property
    def local(self) -> bool:
        """Whether the store is a folder of this machine."""
        return self.folder is not None

    @property
    def managed(self) -> bool:
        """Whether a server (`db://`) keeps tables and indexes in shape by itself."""
        return self.uri.startswith("db://")


def place_of(uri: str | Path) -> Place:
    """The place of a LanceDB URI: a folder path, `file://…`, or `s3://`, `gs://`, `az://`, `db://`, `memory://` ….

    Raises:
        InputError: `uri` is empty or holds a NUL.
    """
    text = str(uri).strip() if isinstance(uri, str) else str(uri)
    if not text or "\0" in text:
        raise InputError("The store's place is empty.", todo="Give a folder or a LanceDB URI such as s3://bucket/memories.")
    scheme = _SCHEME.match(text)
    if scheme is None:
        folder = Path(text).expanduser().absolute()
    elif scheme.group(1).lower() == "file":
        folder = Path(url2pathname(urlsplit(text).path)).absolute()
    else:
        return Place(text, None)
    return Place(str(folder), folder)
