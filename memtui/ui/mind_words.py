"""What to call the configured mind before it exists; making one imports more than a first paint can wait for."""

from __future__ import annotations

from memtui.config import MindSettings


def label_of(settings: MindSettings) -> str:
    """`offline mind`, or the model (or what stands for it) and its provider."""
    if settings.provider == "offline":
        return "offline mind"
    return f"{settings.model} · {settings.provider}" if settings.model else settings.provider
