"""Doing a chore, and remembering how it went: what `memtui schedule run` calls and `schedule status` shows."""
