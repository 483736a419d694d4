"""Markdown and its dialects, parsed into blocks."""
