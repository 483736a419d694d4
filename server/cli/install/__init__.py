"""Add this server to an MCP client's settings, or remove it."""
