"""The offline mind: no network, no key, milliseconds, deterministic, and honest about what it is."""
