"""A process that ingests a blog and is killed, whether its index is a folder or in Milvus."""

import time

from tests.support.blog import Blog
from tests.support.python import start_python

WRITER = """
import sys
from pathlib import Path
from blog_search_mcp.index.stores import parse_index_address
from tests.support.blog import Blog

blog = Blog(Path(sys.argv[1]), Path(sys.argv[2]), address=parse_index_address(sys.argv[2]))
print("ready", flush=True)
blog.ingest()
"""


def kill_an_ingest(blog: Blog, after: float) -> int:
    """Start an ingest and kill it `after` seconds; its exit status."""
    with start_python("-c", WRITER, blog.content, blog.location) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(after)
        writer.kill()
        return writer.wait()
