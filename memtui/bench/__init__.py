"""Measuring: speed, scenarios, pairs, statements."""
