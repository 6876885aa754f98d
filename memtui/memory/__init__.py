"""The engine: pure functions and data. No I/O, no clock, no screen, no database; `now` is always an argument."""
