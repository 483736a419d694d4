"""Run the command `ingest` as `python -m blog_search_mcp.ingest`."""

import sys

from blog_search_mcp.__main__ import main

if __name__ == "__main__":
    sys.argv.insert(1, "ingest")
    main()
