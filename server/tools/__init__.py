"""The tools that a model calls."""
