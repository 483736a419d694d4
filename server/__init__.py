"""Hits and passages for MCP clients: the tools, their words, and the transports they go over."""

from blog_search_mcp import __version__

NAME = "blog_mcp"
"""What the server calls itself to a client."""

VERSION = __version__
"""The distribution's."""
