"""`blog-search-mcp doctor`: check everything that serving a blog needs."""
