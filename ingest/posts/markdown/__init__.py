"""Markdown and its dialects, parsed into blocks and stripped to plain text."""
