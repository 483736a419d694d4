"""A small blog with an index that is broken, asked and mended again and again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from benchmarks.chaos.cache_damage import remove
from benchmarks.chaos.damage import files_by_kind
from blog_search_mcp.index.embedders.registry import choose, embedder_of
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.reader import LiveIndex
from blog_search_mcp.index.store.generations import live_number
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.job import Job
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.report import NoProgress, Report

WORD = "zebrafinch"
"""Stands in one post of the trial's and in no other."""

SOURCE = "odd/zebrafinch.md"

_POST = f"# The {WORD}\n\nA {WORD} is a bird.\n"


@dataclass(frozen=True, slots=True)
class Trial:
    """A content folder, its index and a copy of that index as it was whole."""

    content: Path
    index: Path
    whole: Path

    @property
    def layout(self) -> Layout:
        """The index that is broken."""
        return Layout(self.index)

    @property
    def generation(self) -> Path:
        """The folder of the live generation."""
        return self.layout.generation(live_number(self.layout)).folder

    def restored(self) -> None:
        """Put the whole index in place of whatever a damage left."""
        remove(self.index)
        shutil.copytree(self.whole, self.index)

    def ingested(self, *, rebuild: bool = False) -> Report:
        """Ingest with the embedder in the package. Raises BlogSearchError."""
        job = Job(
            content=self.content,
            index=self.index,
            choose=lambda existing: choose("embedded", None, "", existing),
            today=date.today(),
            rebuild=rebuild,
        )
        return ingest(job, NoProgress())

    def said(self) -> str:
        """What a new reader of the index is told; `""` if it finds what is there."""
        live = LiveIndex(self.index, lambda identity: embedder_of(identity, ""))
        try:
            answer = live.reader().search(WORD, Filters(), limit=1, offset=0)
            sources = [hit.post.source for hit in answer.hits]
            return "" if sources == [SOURCE] else f"found {sources}"
        except BlogSearchError as error:
            return str(error)
        finally:
            live.close()


def trial_in(work: Path, posts: Sequence[Path]) -> Trial:
    """A trial below `work` with copies of `posts` and one of its own, ingested twice."""
    content, index = work / "content", work / "index"
    (content / SOURCE).parent.mkdir(parents=True)
    for number, path in enumerate(posts):
        shutil.copyfile(path, content / f"{number}-{path.name}")
    trial = Trial(content, index, work / "whole")
    (content / SOURCE).write_text("To be replaced.\n", encoding="utf-8")
    trial.ingested()
    (content / SOURCE).write_text(_POST, encoding="utf-8")
    trial.ingested()
    shutil.copytree(index, trial.whole)
    return trial


def others_of(work: Path) -> dict[str, Path]:
    """By kind, the files of a generation with other posts in it."""
    sea = work / "sea.md"
    work.mkdir()
    sea.write_text("".join(f"# Port {n}\n\nShips at sea.\n\n" for n in range(9)), "utf-8")
    other = trial_in(work, [sea])
    return files_by_kind(other.generation)


def through_a_server(trial: Trial, steps: Sequence[Callable[[], object]]) -> list[str]:
    """What one server process answers to the same search before the first step and after each.

    An answer is `""` if it is the right one, or the notice beside it if that names a rebuild;
    after the server has ended, the last is `ended`.
    """
    return anyio.run(_answers, trial, steps)


async def _answers(trial: Trial, steps: Sequence[Callable[[], object]]) -> list[str]:
    command = ["-m", "blog_search_mcp.server", "--index", str(trial.index)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment)
    said: list[str] = []
    try:
        async with Client(parameters) as client:
            said.append(await _answer(client))
            for step in steps:
                step()
                said.append(await _answer(client))
    except Exception as error:  # whatever the transport makes of a dead process, it is the finding
        said.append(f"ended: {type(error).__name__}")
    return said


async def _answer(client: Client) -> str:
    with anyio.fail_after(60):
        result = await client.call_tool("search_blog", {"query": WORD, "top_k": 1})
    [block, *_] = result.content
    assert isinstance(block, TextContent)
    if result.is_error:
        return block.text
    found = result.structured_content or {}
    sources = [hit["source"] for hit in found.get("results", [])]
    if sources != [SOURCE]:
        return f"found {sources}"
    before, rebuild, _ = str(found.get("notice")).partition(REBUILD)
    return before + rebuild if rebuild else ""
