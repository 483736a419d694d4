"""A copy of a blog with an index of its own, for faults to be made on: edited, ingested, asked.

It is ingested by the real command with the embedded model; the cache of embeddings keeps what
an earlier run computed, so that an ingest takes as long as its edit.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.embedders.onnx import EmbeddedEmbedder
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.reader import LiveIndex
from blog_search_mcp.index.store.generations import live_number, newest_number
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.types import Answer, Filters

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]

SUFFIXES = {".md", ".mdx", ".markdown"}

PAGE = 10
"""Hits of each answer that is compared, whole: ids, texts, scores, previews."""

TITLES = 5
"""Posts whose file names are asked for, beside what the last edits wrote."""


@dataclass(frozen=True)
class CopiedBlog:
    """A content folder and its index, both ours."""

    content: Path
    index: Path
    texts: dict[Path, str]
    """Every post as its author wrote it."""
    embedder: EmbeddedEmbedder

    @property
    def layout(self) -> Layout:
        """The index's."""
        return Layout(self.index)

    @property
    def command(self) -> list[str]:
        """What a user types to ingest."""
        folders = [str(self.content), "--index", str(self.index)]
        return [sys.executable, "-m", "blog_search_mcp.ingest", *folders, "--embedder", "embedded"]

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Begin an ingest."""
        return subprocess.Popen(
            [*self.command, *options],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )

    def ingest(self, *options: str) -> tuple[int, str]:
        """Ingest to the end; the exit status and what it said last."""
        with self.start(*options) as running:
            _, said = running.communicate()
        return running.returncode, (said.splitlines() or [""])[-1]

    def edit(self, edition: int, share: float, chosen: random.Random) -> int:
        """Give a share of the posts a last paragraph of this edition; how many."""
        posts = chosen.sample(sorted(self.texts), max(1, round(share * len(self.texts))))
        for path in posts:
            path.write_text(f"{self.texts[path]}\n\n{paragraph(edition)}\n", encoding="utf-8")
        return len(posts)

    def beside(self, work: Path) -> CopiedBlog:
        """Copy it with its index, as both are now."""
        content = Path(shutil.copytree(self.content, work / "content"))
        shutil.copytree(self.index, work / "index")
        texts = {content / path.relative_to(self.content): t for path, t in self.texts.items()}
        return CopiedBlog(content, work / "index", texts, self.embedder)

    def answers(self, editions: Iterable[int]) -> tuple[Answer, ...]:
        """Whole pages for queries of this blog and of these editions. Raises IndexProblem."""
        live = LiveIndex(self.index, lambda _identity: self.embedder)
        reader = live.reader()
        titles = [path.stem.replace("-", " ") for path in sorted(self.texts)]
        asked = titles[:: max(1, len(titles) // TITLES)][:TITLES]
        asked += [paragraph(edition) for edition in editions]
        found = tuple(reader.search(text, Filters(), limit=PAGE, offset=0) for text in asked)
        live.close()
        return found

    def generation(self) -> int:
        """The live one's number. Raises IndexProblem."""
        return live_number(self.layout)

    def unfinished(self) -> bool:
        """Whether a generation is there that is not live yet."""
        return newest_number(self.layout) > self.generation()

    def kept(self) -> int:
        """Generations on disk."""
        return sum(1 for _ in self.layout.generations.iterdir())


def copied(blog: Path, work: Path) -> CopiedBlog:
    """Copy the folder and make its first index. Raises UsageError if that fails."""
    content = Path(shutil.copytree(blog, work / "content"))
    posts = [path for path in sorted(content.rglob("*")) if path.suffix in SUFFIXES]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in posts}
    made = CopiedBlog(content, work / "index", texts, EmbeddedEmbedder())
    status, said = made.ingest()
    if status:
        raise UsageError(f"The blog {blog} cannot be ingested: {said}")
    return made


def paragraph(edition: int) -> str:
    """What an edition adds to a post; its first word is in no other."""
    return f"edition{edition:04d} of this post, with a last paragraph written anew."
