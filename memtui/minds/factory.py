"""Settings and environment to a mind. What is heavy or reaches out is imported only for the mind that is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.config import MindSettings
from memtui.minds.base import Embedder, Mind, SlotReader
from memtui.minds.presets import OFFLINE, Connection, connection_of


def make_mind(settings: MindSettings, environ: Mapping[str, str]) -> Mind:
    """The configured mind. No connection is opened here; the offline mind never opens one.

    A missing key is no error here: every call says so then, and `memtui doctor` shows it.

    Args:
        settings: the `mind` table of the settings.
        environ: where the key's variable is looked up; only that one is read.

    Raises:
        ConfigError: an unknown provider, or a URL or key variable that can't be used.
    """
    if settings.provider == OFFLINE:
        from memtui.minds.offline.mind import OfflineMind

        return OfflineMind()
    return _endpoint_mind(settings, connection_of(settings, environ))


def _endpoint_mind(settings: MindSettings, connection: Connection) -> Mind:
    from memtui.minds.openai_embedder import EndpointEmbedder
    from memtui.minds.openai_endpoint import Endpoint
    from memtui.minds.openai_mind import OpenAIMind

    endpoint = Endpoint(connection, timeout_s=settings.timeout_s, max_retries=settings.max_retries)
    embedder: Embedder
    reader: SlotReader | None = None
    if settings.embedding_model:
        embedder = EndpointEmbedder(endpoint, settings.embedding_model)
    else:
        from memtui.minds.offline.embedder import LocalEmbedder
        from memtui.minds.offline.reader import LocalSlotReader

        local = LocalEmbedder()
        embedder, reader = local, LocalSlotReader(local)
    return OpenAIMind(endpoint, embedder, slot_reader=reader, temperature=settings.temperature)
