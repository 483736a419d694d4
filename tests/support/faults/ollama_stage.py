"""A small blog beside an Ollama that can be broken: ingest it, ask it, and look at what it holds.

Ollama is the tests' stand-in, which is held to a real one; everything else is real. Another kind of
server has a stage of its own (`openai_stage`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL, ENGLISH_WINDOW, embedding_text
from blog_search_mcp.index.embedders.client import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    FailureKind,
    RetryPolicy,
)
from blog_search_mcp.index.embedders.registry import Choice, open_wire
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.posts.chunks import split_windows
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.search.snapshot import Snapshot, open_snapshot
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.types import Answer, EmbedderIdentity, Filters
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress, Report, as_lines
from tests.support.blog import load_rows
from tests.support.ollama_standin import Model, OllamaStandIn, embedding, running

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors

READ: Final = 0.4
"""Seconds until an answer counts as late here; the stand-in's own take a hundredth."""

RIGHT: Final = 0.9
"""Cosine from which a stored vector is that of its words: whole it is 1, as the mean of its parts
somewhat less, and two passages of this blog are below .8 of each other."""

MODEL: Final = Model(dimension=64)
"""nomic-embed-text in name and manners, with shorter vectors to save time."""

QUESTION: Final = "how do I poach a pear in cider?"
ANSWER: Final = "pears.md"

POSTS: Final[Mapping[str, str]] = {
    "pears.md": "# Pears\n\nPoach a firm pear in dry cider with a stick of cinnamon until a knife "
    "slips in, then leave it to cool in the pan overnight.\n",
    "bread.md": "# Bread\n\nA loaf wants flour, water, salt and time; most of the work is waiting "
    "for the dough to rise beside the stove.\n",
    "bees.md": "# Bees\n\nA swarm settles on a branch for an hour or two while its scouts look for "
    "a hollow tree, and that is when a keeper takes it home.\n",
    "clocks.md": "# Clocks\n\nA pendulum of one metre swings once a second, which is why tall "
    "clocks are about as tall as they are.\n\n## Poison\n\nThe old dials were painted with "
    "radium poison, and the women who painted them licked the brush to a point.\n",
    "kites.md": "# Kites\n\nA kite of paper on a frame of split bamboo climbs in a light breeze if "
    "its tail is five times as long as the frame is high.\n",
}
"""More than are embedded without a look at what the server makes of batches."""


def quick(policy: RetryPolicy) -> RetryPolicy:
    """As many tries, without the pauses; a restart is given a second."""
    pauses = {kind: (0.0,) * len(spent) for kind, spent in policy.pauses.items()}
    if FailureKind.DOWN in pauses:
        pauses[FailureKind.DOWN] = (0.1,) * 10
    return RetryPolicy(READ, pauses)


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """Windows of a generation by what their vector is."""

    right: int
    lacking: int
    wrong: int


@dataclass
class Stage:
    """One blog, one index and one server."""

    kind: ClassVar[str] = "ollama"
    """Of the embedder."""
    canaries: ClassVar[int] = 4
    """Requests for vectors before the first batch of a new index: its fingerprint texts."""
    checks: ClassVar[int] = 1
    """Those before the first batch of a run: the fingerprint texts together."""
    after: ClassVar[int] = 0
    """Those after each batch."""

    folder: Path
    server: OllamaStandIn = field(default_factory=lambda: OllamaStandIn([MODEL]))
    up: ExitStack = field(default_factory=ExitStack)
    """Holds the server while it is up."""

    @property
    def index(self) -> Path:
        """Its folder, which may not be there yet."""
        return self.folder / "index"

    def write(self, posts: Mapping[str, str]) -> None:
        """Put these posts into the blog."""
        for source, text in posts.items():
            path = self.folder / "content" / source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def start(self) -> None:
        """Have the server listen, at the port it had if it had one."""
        port = int(self.server.host.rpartition(":")[2] or 0)
        self.up.enter_context(running(self.server, port))

    def stop(self) -> None:
        """Have nothing listen there."""
        self.up.close()

    def heal(self) -> None:
        """Have Ollama well again, as a newer version."""
        self.stop()
        self.server.faults, self.server.on_text, self.server.elsewhere = [], {}, {}
        self.server.models, self.server.reads_capitals = [MODEL], True
        self.server.version = "0.40.0"
        self.start()

    def ingest(self, *, rebuild: bool = False) -> Report:
        """Bring the index up to date. Raises BlogSearchError."""
        job = Job(
            self.folder / "content",
            self.index,
            lambda existing, _count: Choice(self.embedder(existing), "as asked"),
            datetime(2026, 1, 15, tzinfo=UTC),
            rebuild=rebuild,
        )
        return ingest(job, Progress())

    def output(self, *, rebuild: bool = False) -> str:
        """Return what an ingest prints besides its counts: warnings, or its one error."""
        try:
            said = as_lines(self.ingest(rebuild=rebuild))[:-1]
            return " ".join(line for line in said if not line.startswith("Links to "))
        except BlogSearchError as error:
            return str(error)

    @contextmanager
    def following(self) -> Iterator[Index]:
        """The index as a server follows it, with an embedder of its own."""
        live = Index(self.index, self.embedder)
        try:
            yield live
        finally:
            live.close()

    def embedder(self, recorded: EmbedderIdentity | None) -> RemoteEmbedder:
        """The server's, with little time."""
        wire = open_wire(self.kind, f"http://{self.server.host}")
        live = RemoteEmbedder(wire, DEFAULT_MODEL, recorded=recorded)
        live.for_documents, live.for_a_query = quick(FOR_DOCUMENTS), quick(FOR_A_QUERY)
        return live

    @property
    def cached(self) -> int:
        """Embeddings that were paid for so far."""
        cache = Layout(self.index).cache
        if not cache.exists():
            return 0
        with closing(sqlite3.connect(cache)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM embeddings").fetchone()
        return int(count)

    def stored_vectors(self, reads_capitals: bool = True) -> StoredVectors:
        """What the live generation has for its windows; Ollama need not be up."""
        layout = Layout(self.index)
        files = layout.generation(FolderStore(layout.root).current_number())
        snapshot = open_snapshot(files, self.embedder(None))
        try:
            return _compared(snapshot, *load_rows(files.vectors), reads_capitals)
        finally:
            snapshot.close()


def _compared(
    snapshot: Snapshot, row_ids: Ids, all_rows: Vectors, reads_capitals: bool
) -> StoredVectors:
    right = wanted = stored = 0
    for post_id, post in snapshot.catalog.every_post().items():
        for chunk_id, chunk in snapshot.catalog.chunks_of(post_id).items():
            rows = all_rows[row_ids == chunk_id]
            windows = split_windows(chunk.plain, ENGLISH_WINDOW)
            texts = [embedding_text(post.title, chunk.headings, window) for window in windows]
            own = [
                embedding(
                    f"search_document: {t}",
                    Model(dimension=snapshot.vectors.dimension),
                    reads_capitals,
                )
                for t in texts
            ]
            wanted += len(own)
            stored += len(rows)
            right += sum(RIGHT <= max(float(row @ each) for each in own) < 1.001 for row in rows)
    return StoredVectors(right, wanted - stored, stored - right)


@contextmanager
def stage(folder: Path, kind: type[Stage] = Stage) -> Iterator[Stage]:
    """A blog that was never ingested, beside a server that is well."""
    made = kind(folder)
    made.write(POSTS)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def search(live: Index, question: str = QUESTION) -> Answer:
    """Search as `search_blog` does."""
    return live.reader().search(question, Filters(), limit=5, offset=0)
