"""From the saving of a post to its being found in a running server with `--watch`."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.process import (
    Server,
    free_ingest,
    ran,
    server,
    with_free_embedder,
)
from benchmarks.speed.stage import Stage

RUNS = 5
EVERY = 0.02
"""Seconds between two questions."""
SETTLED = 5.0
"""Seconds after the start, and between two edits, in which an ingest of nothing new has ended: the
stage's index is of an earlier day, and is brought up to today before."""
PATIENCE = 60.0
"""Seconds after which an edit will not be found any more."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Edit one paragraph of one post after the other."""
    content, index = stage.work / "watch", stage.work / "watch-index"
    shutil.copytree(stage.content, content)
    shutil.copytree(stage.index(), index)
    say("an ingest as of today")
    ran(free_ingest(content, index, stage.dimension))
    command = (*with_free_embedder(index, stage.dimension), str(content))
    posts = sorted(content.rglob("*.md"))
    taken = []
    with server(command) as watching:
        _first(watching, "a question")
        for number in range(RUNS + 1):
            time.sleep(SETTLED)
            say(f"edit {number} of {RUNS}")
            post = posts[number * len(posts) // (RUNS + 1)]
            milliseconds = _until_first(watching, post, str(post.relative_to(content)), number)
            taken += [milliseconds] if number else []
    what = f"one paragraph edited to found, {stage.counted():,} chunks, with --watch"
    note = "vectors that cost nothing"
    return (figure("watch", what, "ms", taken, Bound(plus=1000.0), None, note),)


def _until_first(watching: Server, post: Path, source: str, number: int) -> float:
    """Milliseconds from the saving of `post` with a new word to its being the first hit for it."""
    word = f"quux{'abcdefghij'[number]}wort"
    head, heading, rest = post.read_text(encoding="utf-8").partition("\n## ")
    text = f"{head}{heading}{rest.rstrip()}\n\nHere stands the {word} of this post.\n"
    assert _first(watching, word) != source
    started = time.perf_counter()
    post.write_text(text, encoding="utf-8")
    while _first(watching, word) != source:
        assert time.perf_counter() < started + PATIENCE, "an edited post was not found"
        time.sleep(EVERY)
    return 1000.0 * (time.perf_counter() - started)


def _first(watching: Server, query: str) -> str:
    """Whose passage is shown first; its preview may be another's, by vectors that mean nothing."""
    found = watching.call("search_blog", {"query": query})
    return str(found["structuredContent"]["results"][0]["source"])
