"""Hits and passages for MCP clients: the tools, their words, and the transports they go over."""
