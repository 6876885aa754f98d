"""Widgets draw and post messages; they know no store and no mind."""
