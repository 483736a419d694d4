"""Entry point of `python -m blog_search_mcp.server`, which runs the command `serve`."""

import sys

from blog_search_mcp.__main__ import main

if __name__ == "__main__":
    sys.argv.insert(1, "serve")
    main()
