"""What stands in the transcript before anything was said."""

from __future__ import annotations

from typing import Final

WELCOME: Final = (
    "This chat remembers what you tell it, and you can watch it forget: each memory is a bar (ctrl+e) that fades with "
    "time and grows when it is recalled.",
    "Say something about yourself, then drag the time line (ctrl+t) forward. /tour shows it all in two minutes.",
)
"""The first two lines; the third is `mind_line`."""


def mind_line(offline: bool, label: str, settings_file: str) -> str:
    """Which mind is on, and how to add a model."""
    if offline:
        return (
            f"The offline mind works with no network and no key. For a model, write into {settings_file}: "
            '[mind] provider = "ollama" (or qwen, openai, openrouter, lmstudio, llamacpp).'
        )
    return f"You are talking to {label}. Memory itself stays on this machine."


def welcome_lines(*, offline: bool, label: str, settings_file: str, remembered: int, chats: bool) -> list[str]:
    """Three lines for a new home; for a known one, what is kept and how to go on.

    Args:
        remembered: active memories; 0 while the store is being opened.
        chats: whether earlier chats were recorded.
    """
    if remembered:
        many = f"{remembered:,} memor{'y' if remembered == 1 else 'ies'}"
        first = f"A new chat. {many} from before {'is' if remembered == 1 else 'are'} there."
        return [first + (" ctrl+r goes on with an earlier chat." if chats else ""), mind_line(offline, label, settings_file)]
    more = ["ctrl+r goes on with an earlier chat."] if chats else []
    return [*WELCOME, mind_line(offline, label, settings_file), *more]
