"""Procedural memory: skills that are learned, found, reinforced, archived and restored."""
