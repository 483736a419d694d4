"""What a content folder may hold besides plain posts: what an ingest made of each.

A row is one oddity beside one plain post. It holds if the ingest ended with a report, the odd
file was indexed and read back or was named with its reason, and nothing outside the content
folder got into the index.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.odd_files import BETWEEN, CLOSED, REFUSED, Oddity
from benchmarks.chaos.odd_names import NAMES, POST, write_post
from blog_search_mcp.index.content.read_file import read
from blog_search_mcp.index.content.walk import walk
from blog_search_mcp.index.embedders.registry import choose, embedder_of
from blog_search_mcp.index.errors import BlogSearchError, UnreadablePost
from blog_search_mcp.index.reader import LiveIndex
from blog_search_mcp.ingest.job import Job
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import SUFFIXES
from blog_search_mcp.ingest.report import NoProgress, as_json, as_lines
from blog_search_mcp.server.protocol.app import answer
from blog_search_mcp.server.tools.read_chunk import read_chunk

SECRET = "The password is swordfish."


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Ingest every oddity."""
    outside = options.work / "secret.md"
    outside.write_text(SECRET, encoding="utf-8")
    rows = [
        *_names(options.work),
        *_refused(options.work, outside),
        *_between(options.work, outside),
    ]
    say(f"{len(rows)} oddities")
    return tuple(rows)


def _names(work: Path) -> Iterator[Fault]:
    """Names that belong in the index, each ingested and read back over the wire's JSON."""
    for number, (what, source) in enumerate(NAMES.items()):
        content, index = _folders(work / f"name-{number}")
        try:
            write_post(content / source)
        except OSError as error:
            yield Fault(what, "not made", 1, 1, f"the file system: {error.strerror}")
            continue
        seen = _ingested(content, index) or _read_back(index, source)
        yield Fault(what, "a post so called", 1, int(not seen), seen or "indexed and read back")


def _refused(work: Path, outside: Path) -> Iterator[Fault]:
    """What must not be read, unless the superuser is asking, whom no permission stops."""
    odd = {**REFUSED, **(CLOSED if os.geteuid() else {})}
    for number, (what, oddity) in enumerate(odd.items()):
        content, index = _folders(work / f"odd-{number}")
        oddity.make(content / oddity.source, outside)
        seen = _ingested(content, index)
        expected = _expected(oddity)
        held = seen == expected and not _holds(index, SECRET)
        shown = seen if len(seen) < 200 else f"{seen[:40]}…{seen[-60:]}"
        yield Fault(what, "beside a plain post", 1, int(held), shown or "left out silently")


def _between(work: Path, outside: Path) -> Iterator[Fault]:
    """What becomes of a post after it was listed, as its reading then says."""
    for number, (what, (change, reason)) in enumerate(BETWEEN.items()):
        content, _ = _folders(work / f"between-{number}")
        [file] = walk(content, SUFFIXES).files
        change(file.path, outside)
        try:
            seen = f"{len(read(file.path))} bytes"
        except UnreadablePost as error:
            seen = str(error)
        yield Fault(what, "between listing and reading a post", 1, int(seen == reason), seen)


def _expected(oddity: Oddity) -> str:
    if oddity.reason is None:
        return ""
    return f"skipped {oddity.reported or oddity.source}: {oddity.reason}"


def _folders(work: Path) -> tuple[Path, Path]:
    content = work / "content"
    write_post(content / "plain.md")
    return content, work / "index"


def _ingested(content: Path, index: Path) -> str:
    """What an ingest said but for its numbers."""
    job = Job(content, index, lambda was: choose("embedded", None, "", was), date.today())
    try:
        report = ingest(job, NoProgress())
    except BlogSearchError as error:
        return str(error)
    json.loads(as_json(report))
    return " ".join(as_lines(report)[:-1])


def _read_back(index: Path, source: str) -> str:
    """What is wrong with what the tool gives for the source, as a client gets it."""
    live = LiveIndex(index, lambda identity: embedder_of(identity, ""))
    try:
        asked = json.loads(json.dumps({"source": source, "chunk_index": 0}))
        result = answer(read_chunk, live.reader(), asked).model_dump_json()
    finally:
        live.close()
    text = json.loads(result)["content"][0]["text"]
    return "" if text == POST.strip() else f"read back: {text}"


def _holds(index: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in index.rglob("*") if path.is_file())
