"""Ingest a folder of very many tiny posts in a process of its own, and print what became of it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from blog_search_mcp.index.types import Filters
from tests.support.blog import Blog

A_FOLDER = 1_000
"""Posts in each folder."""


def write_posts(content: Path, count: int) -> None:
    """Write tiny posts, old enough for an ingest to go by their times."""
    for number in range(count):
        path = content / str(number // A_FOLDER) / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Post {number}\n\nWord{number % 997} of zebra{number}.\n", "utf-8")
        os.utime(path, (1e9, 1e9))


def most_memory() -> int:
    """Return the most memory that this process had at once, in kilobytes.

    `ru_maxrss` begins with that of the process that started it (getrusage(2), Linux).
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def main(folder: Path, count: int) -> dict[str, object]:
    """Ingest `count` posts, again without a change, and again after an edit and a deletion."""
    made = Blog(folder / "content", folder / "index")
    write_posts(made.content, count)
    first, same = made.ingest(processes=2), made.ingest(processes=2)
    (made.content / "0" / "0.md").write_text("# Edited\n\nA kingfisher.\n", "utf-8")
    (made.content / "0" / "1.md").unlink()
    edit = made.ingest(processes=2)
    reader = made.reader()
    queries = (f"zebra{count - 1}", "kingfisher")
    hits = [reader.search(each, Filters(), limit=1, offset=0).hits[0] for each in queries]
    return {
        "posts": [first.posts, same.posts, edit.posts],
        "changes": [[each.added, each.changed, each.removed] for each in (first, same, edit)],
        "generations": [same.generation - first.generation, edit.generation - same.generation],
        "embedded": [same.embedded, edit.embedded],
        "found": [hit.post.source for hit in hits],
        "kilobytes": most_memory(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
