"""The index: its parts, its files on disk and its search.

`ingest` writes it, `server` reads it; this package knows neither Markdown nor MCP. It imports
nothing, so that `import blog_search_mcp.index.types` costs nothing.
"""
