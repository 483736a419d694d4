"""The index: its parts, its files on disk and its search.

`ingest` writes an index and `server` reads it; this package handles neither Markdown nor MCP. This
file imports nothing, so that importing `blog_search_mcp.index.types` loads no other module here.
"""
