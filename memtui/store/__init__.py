"""LanceDB behind one small interface. Only this room imports lancedb and pyarrow."""
