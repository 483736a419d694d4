"""Measurements of what the author's tools find, each a module with a function `main`."""
