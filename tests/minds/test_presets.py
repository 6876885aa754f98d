"""Presets, URLs and keys: what settings and environment add up to, and what they never show."""

from __future__ import annotations

import pytest

from memtui.config import MindSettings
from memtui.errors import ConfigError
from memtui.minds.presets import PRESETS, PROVIDERS, connection_of
from tests.minds.helpers import KEY

_WORKSPACE = "https://ws-1a2b3c.ap-southeast-1.maas.aliyuncs.com"


def test_every_provider_has_a_preset_or_is_offline() -> None:
    assert set(PROVIDERS) == {"offline", "qwen", "openai", "ollama", "llamacpp", "lmstudio", "openrouter"}


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("openai", "https://api.openai.com/v1"),
        ("ollama", "http://localhost:11434/v1"),
        ("llamacpp", "http://localhost:8080/v1"),
        ("lmstudio", "http://localhost:1234/v1"),
        ("openrouter", "https://openrouter.ai/api/v1"),
    ],
)
def test_presets_know_their_address(provider: str, url: str) -> None:
    assert connection_of(MindSettings(provider=provider), {}).base_url == url


def test_an_unknown_provider_lists_the_known() -> None:
    with pytest.raises(ConfigError) as caught:
        connection_of(MindSettings(provider="chatgtp"), {})
    assert "chatgtp" in str(caught.value)
    assert all(name in str(caught.value) for name in PROVIDERS)


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("", "<workspace-id>"),
        ("https://ws-<workspace-id>.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", "<workspace-id>"),
        ("https://ws-1a2b.<region>.maas.aliyuncs.com/compatible-mode/v1", "<region>"),
        ("https://{WorkspaceId}.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", "{WorkspaceId}"),
        ("https://ws-workspace-id.eu-central-1.maas.aliyuncs.com/compatible-mode/v1", "workspace-id"),
    ],
)
def test_qwen_says_which_part_of_the_workspace_url_is_missing(url: str, part: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connection_of(MindSettings(provider="qwen", base_url=url), {"DASHSCOPE_API_KEY": KEY})
    assert f"'{part}'" in caught.value.what
    assert "mind.base_url" in str(caught.value)
    assert "workspace" in caught.value.todo


@pytest.mark.parametrize("given", [_WORKSPACE, _WORKSPACE + "/", _WORKSPACE + "/compatible-mode/v1"])
def test_qwen_takes_the_workspace_url_with_or_without_the_path(given: str) -> None:
    connection = connection_of(MindSettings(provider="qwen", base_url=given), {"DASHSCOPE_API_KEY": KEY})
    assert connection.base_url == _WORKSPACE + "/compatible-mode/v1"
    assert connection.model == PRESETS["qwen"].model
    assert connection.key is not None
    assert connection.key_required


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1"),
        ("http://localhost:8000/v1/chat/completions", "http://localhost:8000/v1"),
        ("https://gateway.example/llm/api", "https://gateway.example/llm/api"),
    ],
)
def test_urls_are_tidied(given: str, url: str) -> None:
    assert connection_of(MindSettings(provider="ollama", base_url=given), {}).base_url == url


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://host/v1", "http://", "http://a b/v1", "http://host:port/v1", "file:///x"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        connection_of(MindSettings(provider="ollama", base_url=url), {})


@pytest.mark.parametrize("url", [f"https://me:{KEY}@host/v1", f"https://host/v1?key={KEY}"])
def test_a_key_in_the_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connection_of(MindSettings(provider="openai", base_url=url), {})
    assert KEY not in str(caught.value)


def test_a_key_in_place_of_the_variables_name_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        connection_of(MindSettings(provider="openai", api_key_env=KEY), {})
    assert KEY not in str(caught.value)
    assert "api_key_env" in str(caught.value)


@pytest.mark.parametrize("value", [f"{KEY}\nX-Evil: 1", f"{KEY} {KEY}", f"{KEY}é"])
def test_a_key_with_impossible_characters_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connection_of(MindSettings(provider="openai"), {"OPENAI_API_KEY": value})
    assert KEY not in str(caught.value)
    assert "$OPENAI_API_KEY" in str(caught.value)


def test_only_the_named_variable_is_read_and_the_key_is_never_shown() -> None:
    environ = {"MY_KEY": f" {KEY}\n", "OPENAI_API_KEY": "sk-other"}
    connection = connection_of(MindSettings(provider="openai", api_key_env="MY_KEY"), environ)
    assert connection.key is not None
    assert connection.key.get_secret_value() == KEY
    assert KEY not in repr(connection) + str(connection) + connection.key_status
    assert connection.key_status == "set (in $MY_KEY)"
    assert connection.redact(f"bad key {KEY}!") == "bad key [key]!"


def test_missing_keys_are_told_by_name() -> None:
    assert connection_of(MindSettings(provider="openai"), {}).key_status == "missing ($OPENAI_API_KEY is not set)"
    assert connection_of(MindSettings(provider="ollama"), {}).key_status == "not needed"


def test_an_endpoint_of_ones_own_needs_no_key_and_no_foreign_model() -> None:
    connection = connection_of(MindSettings(provider="openai", base_url="http://localhost:8000/v1"), {})
    assert not connection.key_required
    assert connection.model == ""
    assert connection.local
