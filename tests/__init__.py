"""The test suite, room by room."""
