"""MCP, an API and a search page over HTTP."""
