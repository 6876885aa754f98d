"""Settings to a mind, and what is imported and opened for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memtui.config import MindSettings
from memtui.errors import ConfigError
from memtui.minds.factory import make_mind
from memtui.minds.openai_embedder import EndpointEmbedder
from memtui.minds.openai_mind import OpenAIMind
from tests.loopback import Loopback


def test_an_endpoint_with_local_embeddings_gets_the_local_slot_reader() -> None:
    mind = make_mind(MindSettings(provider="ollama", model="qwen3", temperature=0.3), {})
    assert isinstance(mind, OpenAIMind)
    assert mind.label == "qwen3 · ollama"
    assert mind.embedder.name == "usem3-512"
    assert mind.slot_reader is not None
    assert not mind.local


def test_an_endpoint_with_its_own_embeddings_has_no_slot_reader(loopback: Loopback) -> None:
    settings = MindSettings(provider="ollama", base_url=loopback.base_url, model="qwen3", embedding_model="nomic")
    mind = make_mind(settings, {})
    assert isinstance(mind.embedder, EndpointEmbedder)
    assert mind.slot_reader is None
    assert loopback.requests == []


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("/models/gemma-3.gguf", "gemma-3.gguf · llamacpp"),
        ("C:\\models\\gemma.gguf", "gemma.gguf · llamacpp"),
        ("qwen/qwen3-8b", "qwen/qwen3-8b · llamacpp"),
        ("m\n\x1b[31m" + "x" * 90, None),
    ],
)
def test_labels_are_short_and_plain(model: str, label: str | None) -> None:
    found = make_mind(MindSettings(provider="llamacpp", model=model), {}).label
    assert label in (None, found)
    assert len(found) < 55
    assert "\n" not in found


def test_an_unknown_provider_is_a_settings_error() -> None:
    with pytest.raises(ConfigError, match="offline, qwen, openai, ollama, llamacpp, lmstudio, openrouter"):
        make_mind(MindSettings(provider="skynet"), {})


def test_the_factory_and_the_offline_mind_import_no_sdk() -> None:
    code = (
        "import sys\n"
        "import memtui.minds.base, memtui.minds.factory, memtui.minds.recorded\n"
        "from memtui.config import MindSettings\n"
        "memtui.minds.factory.make_mind(MindSettings(), {})\n"
        "sys.exit(any(name in sys.modules for name in ('openai', 'httpx2', 'lancedb', 'pyarrow', 'textual')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_offline_mind_opens_no_socket() -> None:
    """In a process of its own, where opening any socket raises."""
    code = """
import asyncio, socket
from datetime import datetime, UTC
from memtui.config import MindSettings
from memtui.minds.base import Message, PairText, Prompt
from memtui.minds.factory import make_mind

async def main():
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")
    socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
    now = datetime(2026, 4, 25, tzinfo=UTC)
    mind = make_mind(MindSettings(), {})
    assert mind.label == "offline mind", mind.label
    text = "I moved to Lisbon and I'm allergic to peanuts."
    await mind.extract(text, now)
    await mind.judge([PairText("I live in Berlin.", "I moved to Lisbon.", now, now)])
    await mind.summarize(["I like tea.", "I really like tea."], "en")
    async for _ in mind.reply(Prompt((Message("user", text),), (), now, "en")):
        pass
    await mind.embedder.embed([text] * 20)
    await mind.check()
    await mind.aclose()

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=100, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
