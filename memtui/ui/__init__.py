"""The screen. Only this room imports textual."""
