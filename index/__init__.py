"""The index: what it is made of, how it lies on disk, how it is searched.

`ingest` writes it, `server` reads it; this package knows Markdown and nothing
of MCP. Nothing is imported here, so that `import blog_search_mcp.index.types` costs nothing.
"""
