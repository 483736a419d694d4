"""Retrieval, ranking, confidence and snippets."""
