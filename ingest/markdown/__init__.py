"""Markdown and MDX posts."""
