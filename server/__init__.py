"""Hits and passages for MCP clients: the tools, their words, and the transports they go over."""

NAME = "blog_mcp"
"""What the server calls itself to a client."""

VERSION = "0.1.0"
"""The distribution's version; the same as in pyproject.toml."""
