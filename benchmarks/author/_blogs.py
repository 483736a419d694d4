"""What the measurements of this folder share: an index and its posts, and lines as they come."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from benchmarks.options import report_failure
from benchmarks.provenance import command_line, read_commit
from blog_search_mcp.index.embedders.registry import open_embedder
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.posts.last_ingest import read_any_last_ingest
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.relations.corpus import Corpus

T = TypeVar("T")


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def say_command(name: str, arguments: Sequence[str]) -> None:
    """Print how a measurement was called, and by which commit."""
    say(f"{command_line('benchmarks.author', [name, *arguments])}\n{read_commit()}")


def measure_each(indexes: Sequence[Path], measure: Callable[[Path], None]) -> int:
    """Measure one index after another; returns the exit status."""
    for index in indexes:
        try:
            measure(index)
        except BlogSearchError as error:
            return report_failure(error)
    return 0


def open_reader(index: Path) -> IndexReader:
    """Open an index's newest generation. Raises BlogSearchError."""
    return Index(index, lambda identity: open_embedder(identity, "")).reader()


def find_posts(index: Path) -> Path:
    """Return the folder of an index's posts. Raises UsageError if they were moved."""
    last = read_any_last_ingest(FolderStore(index))
    if last is None or not Path(last.content).is_dir():
        raise UsageError(f"The posts of {index} are not where its last ingest found them.")
    return Path(last.content)


@contextmanager
def changed_blog(
    index: Path, corpus: Corpus, change: Callable[[Path], T]
) -> Iterator[tuple[IndexReader, T]]:
    """Ingest a copy of the posts that `change` was applied to; gives what it returned too."""
    embedder = corpus.snapshot.embedder
    with TemporaryDirectory() as place:
        content, copy = Path(place, "posts"), Path(place, "index")
        shutil.copytree(find_posts(index), content)
        copy.mkdir()
        shutil.copy(index / "embeddings.db", copy)
        changed = change(content)
        command = [sys.executable, "-m", "blog_search_mcp.ingest", str(content)]
        options = ["--embedder", "embedded", "--model", embedder.identity.model]
        subprocess.run([*command, "--index", str(copy), *options], check=True, capture_output=True)
        with closing(Index(copy, lambda _identity: embedder).reader()) as opened:
            yield opened, changed
