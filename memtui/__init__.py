"""memtui: a terminal chat whose long-term memory you can watch forget; and that memory as a library.

    from memtui import open_memory

`open_memory` and what comes with it are imported when they are first asked for, so importing memtui costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.library import AgentMemory as AgentMemory
    from memtui.library import Embedding as Embedding
    from memtui.library import open_memory as open_memory

__version__ = "0.1.0"
__all__ = ["AgentMemory", "Embedding", "__version__", "open_memory"]


def __getattr__(name: str) -> object:
    """What the library gives, imported at first use."""
    if name in __all__:
        import memtui.library

        return getattr(memtui.library, name)
    raise AttributeError(f"module 'memtui' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
