"""Screens handle what widgets post."""
