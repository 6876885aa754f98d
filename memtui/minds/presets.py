"""Provider presets by name, and the endpoint that settings and environment add up to.

Keys come from the environment alone. Nothing here opens a connection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from memtui.config import MindSettings
from memtui.errors import ConfigError

OFFLINE: Final = "offline"
"""The provider that needs neither key nor network."""
QWEN_URL: Final = "https://ws-<workspace-id>.<region>.maas.aliyuncs.com/compatible-mode/v1"
"""The shape of an Alibaba Cloud Model Studio workspace URL: `ws-…` and the region (such as `ap-southeast-1`) are the user's
own."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What is known of a provider.

    Attributes:
        name: what `mind.provider` says.
        base_url: its URL, "" or a pattern with `<parts>` where only the user knows it.
        path: the API's path, added to a URL that has none.
        key_env: the variable that holds the key; "" where none is needed.
        model: the chat model if none is configured; "" takes the first chat model the endpoint lists.
        json_schema: whether it takes `response_format` json_schema (a hint: what is refused is found out and remembered).
        extras: body fields for structured calls only this provider knows.
    """

    name: str
    base_url: str
    path: str
    key_env: str
    model: str
    json_schema: bool = True
    extras: Mapping[str, Any] = field(default_factory=dict)


PRESETS: Final[Mapping[str, Preset]] = {
    preset.name: preset
    for preset in (
        # Structured answers are for the non-thinking mode there.
        Preset("qwen", QWEN_URL, "/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus", extras={"enable_thinking": False}),
        Preset("openai", "https://api.openai.com/v1", "/v1", "OPENAI_API_KEY", "gpt-5.4-mini"),
        Preset("ollama", "http://localhost:11434/v1", "/v1", "", ""),
        Preset("llamacpp", "http://localhost:8080/v1", "/v1", "", ""),
        Preset("lmstudio", "http://localhost:1234/v1", "/v1", "", ""),
        Preset("openrouter", "https://openrouter.ai/api/v1", "/api/v1", "OPENROUTER_API_KEY", "openrouter/auto"),
    )
}
"""Presets by name."""
PROVIDERS: Final = (OFFLINE, *PRESETS)
"""Every value `mind.provider` may have."""

_PLACEHOLDER = re.compile(r"<[^<>]*>|\$?\{[^{}]*\}|%3C.*?%3E|\b(?:workspace-id|your-workspace|WorkspaceId)\b")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "::1", "host.docker.internal")


@dataclass(frozen=True, slots=True)
class Connection:
    """Where and how to reach one endpoint.

    Attributes:
        provider: the preset's name.
        base_url: where requests go, no slash at the end, never with a key in it.
        host: host (and port) for messages and names.
        key: the key, or None; never shown (`SecretStr`).
        key_env: the variable it comes from, "" if none is asked for.
        key_required: whether a call without it is pointless.
        model: the chat model, "" to take the endpoint's first.
        json_schema: whether to try `response_format` json_schema first.
        extras: body fields of structured calls.
    """

    provider: str
    base_url: str
    host: str
    key: SecretStr | None
    key_env: str
    key_required: bool
    model: str
    json_schema: bool = True
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def local(self) -> bool:
        """Whether the endpoint is on this machine (then no proxy stands between)."""
        return (urlsplit(self.base_url).hostname or "") in _LOCAL_HOSTS

    @property
    def key_status(self) -> str:
        """All that is ever said of the key."""
        if self.key is not None:
            return f"set (in ${self.key_env})"
        return f"missing (${self.key_env} is not set)" if self.key_required else "not needed"

    def redact(self, text: str) -> str:
        """`text` without the key: servers echo what they were sent."""
        secret = self.key.get_secret_value() if self.key is not None else ""
        return text.replace(secret, "[key]") if secret else text


def connection_of(settings: MindSettings, environ: Mapping[str, str]) -> Connection:
    """The endpoint that `settings` (provider not offline) and `environ` add up to.

    Raises:
        ConfigError: unknown provider; a URL missing, unfilled or unusable; a key variable that is no variable's name or
        whose
            value can't be a key. No message holds the key.
    """
    preset = PRESETS.get(settings.provider)
    if preset is None:
        raise ConfigError(
            f"settings key 'mind.provider': there is no provider '{settings.provider}'.",
            todo=f"Use one of: {', '.join(PROVIDERS)}.",
        )
    base_url = _base_url(preset, settings.base_url)
    key_env = _key_env(preset, settings.api_key_env)
    parts = urlsplit(base_url)
    own_endpoint = bool(settings.base_url) and preset.name != "qwen"
    return Connection(
        provider=preset.name,
        base_url=base_url,
        host=parts.netloc,
        key=_key(key_env, environ),
        key_env=key_env,
        key_required=bool(settings.api_key_env) or (bool(preset.key_env) and not own_endpoint),
        model=settings.model or ("" if own_endpoint else preset.model),
        json_schema=preset.json_schema,
        extras=preset.extras,
    )


def _base_url(preset: Preset, configured: str) -> str:
    url = (configured or preset.base_url).strip()
    unfilled = _PLACEHOLDER.search(url)
    if unfilled is not None:
        lack = "still has a part to fill in" if configured else "is not set, and the address has parts only you know"
        raise ConfigError(
            f"settings key 'mind.base_url' {lack}: '{unfilled[0]}' in {url}.",
            todo=(
                "Copy your workspace's URL from the Model Studio console (the workspace id, then the region, such as "
                "ws-1a2b3c.ap-southeast-1) into mind.base_url."
                if preset.name == "qwen"
                else "Write the whole URL, such as http://localhost:8000/v1."
            ),
        )
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host or any(c.isspace() for c in url):
        raise ConfigError(
            "settings key 'mind.base_url' is no http(s) URL.", todo="Write the whole URL, such as http://localhost:8000/v1."
        )
    if parts.username is not None or parts.password is not None or parts.query:
        raise ConfigError(
            "settings key 'mind.base_url' holds a name, a password or a query.",
            todo="Leave only the address there, and put the key into the variable that mind.api_key_env names.",
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or preset.path
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _key_env(preset: Preset, configured: str) -> str:
    name = configured.strip() or preset.key_env
    if name and not _VARIABLE.fullmatch(name):
        raise ConfigError(  # it may be the key itself: never repeat it
            "settings key 'mind.api_key_env' is not the name of a variable.",
            todo="Name the environment variable that holds the key (such as OPENAI_API_KEY), not the key.",
        )
    return name


def _key(key_env: str, environ: Mapping[str, str]) -> SecretStr | None:
    value = environ.get(key_env, "").strip() if key_env else ""
    if not value:
        return None
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(
            f"${key_env} holds characters that no key has.", todo="Copy the key again, without spaces or line breaks."
        )
    return SecretStr(value)
