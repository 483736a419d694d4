"""Run `python -m blog_search_mcp.server`, the command `serve` alone."""

import sys

from blog_search_mcp.__main__ import main

if __name__ == "__main__":
    sys.argv.insert(1, "serve")
    main()
