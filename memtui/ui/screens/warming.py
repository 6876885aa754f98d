"""What a first turn would have to wait for, done while the person still types."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from memtui.chat.companion import Companion


async def warm_up(companion: Companion, then: Callable[[], None]) -> None:
    """Weights, token tables, Markdown, the past in columns; no call to an endpoint. `then` is what can wait for that."""
    await asyncio.to_thread(_import_for_replies)
    await asyncio.to_thread(companion.store.as_of, companion.clock.now())
    if companion.mind.local or not companion.settings.mind.embedding_model:  # no call to an endpoint for this
        await companion.recall_for("Where do I live?")
    then()


def _import_for_replies() -> None:
    from memtui.minds.tokens import count_tokens
    from memtui.ui.widgets import message_markdown  # noqa: F401

    count_tokens("warm")
