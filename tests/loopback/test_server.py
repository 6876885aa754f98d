"""The loopback endpoint itself: other rooms lean on it, in this process and from others."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from typing import Any

from tests.loopback import Loopback, say


def _post(url: str, body: dict[str, Any]) -> tuple[str, str]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_it_answers_plain_and_streaming_and_records(loopback: Loopback) -> None:
    loopback.on("reply", say("hel", "lo"), say("hel", "lo"))
    body = {"model": loopback.model, "messages": [{"role": "user", "content": "hi"}]}
    kind, text = _post(f"{loopback.base_url}/chat/completions", body)
    assert kind == "application/json"
    assert json.loads(text)["choices"][0]["message"]["content"] == "hello"
    kind, text = _post(f"{loopback.base_url}/chat/completions", {**body, "stream": True})
    assert kind == "text/event-stream"
    assert text.endswith("data: [DONE]\n\n")
    assert [r.text for r in loopback.calls("reply")] == ["hi", "hi"]


def test_it_serves_another_process() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "m-1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    base_url = process.stdout.readline().strip()
    _, text = _post(f"{base_url}/chat/completions", {"model": "m-1", "messages": [{"role": "user", "content": "hi"}]})
    assert "You said: hi" in text
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


def test_its_environment_configures_memtui(loopback: Loopback) -> None:
    environ = loopback.environ(MEMTUI_HOME="/x")
    assert environ["MEMTUI_MIND__BASE_URL"] == loopback.base_url
    assert environ["MEMTUI_HOME"] == "/x"
