"""Sessions on disk: record, read, replay, import, export."""
