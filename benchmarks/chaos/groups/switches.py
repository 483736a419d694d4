"""Readers and writers at once: switches under a server, two ingests, holds, a broken newcomer."""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from typing import Any

from benchmarks.chaos.asked_server import AskedServer, asked_server
from benchmarks.chaos.copied import CopiedBlog, copied, paragraph
from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.together import together

SWITCHES = 50
SHARE = 0.02
"""Of the posts are edited before each switch."""

KEPT = 3
"""Generations on disk at most: the live one, the one before it and one that is still read."""

QUERY = "how does it work"

AT_ONCE, TIMES_AT_ONCE = 60, 4
"""Searches before the first switch, so that every thread of the server's has had some. glibc gives
each of up to 8 threads a core an arena of its own, which keeps what its largest search took
(mallopt(3), M_ARENA_MAX and M_TRIM_THRESHOLD): without that, a thread that first searches after
the thirtieth switch looks like a leak of the switches."""

WARM = 10
"""Switches after which the server's allocators have what they need."""

GROWTH = 4 << 20
"""Bytes by which the median of the last ten may exceed that of the first ten after WARM; what the
allocators keep differed by 1 to 3 MB between runs."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A server after one more generation."""

    asked: int
    failed: int
    current: bool
    """Whether it then gave the hits of the newest generation and had no other in memory."""
    files: int
    memory: int
    kept: int
    """Generations on disk."""


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Switch under a server, then have two ingests and a reader meet."""
    blog = copied(options.blog, options.work / "switched")
    with asked_server(blog.index) as server:
        for _ in range(TIMES_AT_ONCE):
            server.searches([QUERY] * AT_ONCE)
        chosen = random.Random(options.seed)
        seen = [_switched(blog, server, number, chosen, say) for number in range(1, SWITCHES + 1)]
        broken = _broken(blog, server, SWITCHES + 1, chosen)
    return (*_rows(seen), broken, *together(blog, options, say))


def _switched(
    blog: CopiedBlog, server: AskedServer, edition: int, chosen: random.Random, say: Say
) -> Switch:
    blog.edit(edition, SHARE, chosen)
    asked = failed = 0
    with blog.start() as running:
        while running.poll() is None:
            asked += 1
            failed += _failed(server.search(QUERY))
        running.communicate()
    current = _is_current(blog, server, edition)
    after = Switch(
        asked=asked,
        failed=failed + (running.returncode != 0),
        current=current,
        files=server.open_files(),
        memory=server.memory(),
        kept=blog.kept(),
    )
    if edition % 10 == 0:
        say(f"{edition} switches: {after}")
    return after


def _failed(result: dict[str, Any]) -> bool:
    return bool(result.get("isError")) or not result["structuredContent"]["results"]


def _is_current(blog: CopiedBlog, server: AskedServer, edition: int) -> bool:
    """Asked for the edition's words, whose scores are others in every generation."""
    given = server.search(paragraph(edition))["structuredContent"]["results"]
    found = blog.answers([edition])[-1].hits[: len(given)]
    same = [(hit["source"], hit["chunk_index"], hit["score"]) for hit in given] == [
        (hit.post.source, hit.chunk.index, round(hit.score, 3)) for hit in found
    ]
    newest = blog.layout.generation(blog.generation()).folder.name
    return same and server.mapped(blog.layout.generations) == {newest}


def _rows(seen: list[Switch]) -> tuple[Fault, Fault]:
    asked, failed = sum(each.asked for each in seen), sum(each.failed for each in seen)
    held = [
        not each.failed and each.current and each.files == seen[0].files and each.kept <= KEPT
        for each in seen
    ]
    first, last = (
        statistics.median(each.memory for each in some)
        for some in (seen[WARM : WARM + 10], seen[-10:])
    )
    return (
        Fault(
            what="ingest switches under a server that is asked all the time",
            made=f"`blog-ingest` {len(seen)} times under one `blog-server`",
            runs=len(seen),
            held=sum(held),
            seen=f"{asked:,} searches, {failed} failed; "
            f"the newest generation alone in memory after {sum(each.current for each in seen)}; "
            f"{_span({each.files for each in seen})} open files, "
            f"{_span({each.kept for each in seen})} generations on disk",
        ),
        Fault(
            what="memory of that server",
            made="private pages that are no file's, medians of ten switches, after "
            f"{AT_ONCE * TIMES_AT_ONCE} searches at once",
            runs=1,
            held=int(last - first <= GROWTH),
            seen=f"{first / 1e6:.1f} MB after {WARM} switches, {last / 1e6:.1f} MB at the end",
        ),
    )


def _span(values: set[int]) -> str:
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low} to {high}"


def _broken(blog: CopiedBlog, server: AskedServer, edition: int, chosen: random.Random) -> Fault:
    """The newest generation is torn before the server opens it; then it is made anew."""
    blog.edit(edition, SHARE, chosen)
    blog.ingest()
    vectors = blog.layout.generation(blog.generation()).vectors
    vectors.write_bytes(vectors.read_bytes()[:-1])
    torn = server.search(QUERY)
    notice = "" if _failed(torn) else torn["structuredContent"].get("notice", "")
    blog.ingest("--rebuild")
    mended = server.search(QUERY)
    whole = not _failed(mended) and "notice" not in mended["structuredContent"]
    told = "vectors.faiss is damaged" in notice
    return Fault(
        what="newest generation torn while an older one is open",
        made="vectors.faiss one byte shorter, then `--rebuild`",
        runs=1,
        held=int(told and whole and _is_current(blog, server, edition)),
        seen=f"hits with the notice “{notice}”",
    )
