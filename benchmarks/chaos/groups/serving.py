"""Queries while Ollama is dead: what each costs beside the same query by words alone.

One index, one process and one server's embedder for each way of being dead: Ollama answers,
dies, is asked a burst of queries, is mended, and is asked until meaning is back.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import median

from benchmarks.chaos.dead_ollamas import dead
from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.ways_to_be_dead import WAYS, Way
from blog_search_mcp.index.embedders.base import Embedder
from blog_search_mcp.index.embedders.circuit_breaker import PAUSE
from blog_search_mcp.index.embedders.guarded import GuardedEmbedder
from blog_search_mcp.index.embedders.ollama.client import Lookout, Seen
from blog_search_mcp.index.embedders.registry import choose, ollama_of
from blog_search_mcp.index.reader import LiveIndex, Reader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.types import EmbedderIdentity, Filters
from blog_search_mcp.ingest.job import Job
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.report import NoProgress
from tests.support.ollama_standin import running

BURST = 100
"""Queries while Ollama is dead."""

ALLOWED = 0.3
"""Seconds that a dead Ollama may add to a query."""

RETURN = 40.0
"""Seconds after which meaning must be back once Ollama is."""

NOTICE = "Keyword matches only, without search by meaning: "


class Counting(Lookout):
    """Counts its looks: one for each attempt to ask Ollama."""

    looks = 0

    def look(self) -> Seen:
        """Look and count."""
        self.looks += 1
        return super().look()


@dataclass(slots=True)
class Burst:
    """What came of the queries of one burst."""

    added: list[float] = field(default_factory=list)
    """Seconds more than the same query by words alone, in the order asked."""
    sentences: Counter[str] = field(default_factory=Counter)
    held: int = 0


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Make every way of being dead."""
    shutil.copytree(options.blog, options.work / "content")
    with running() as standin:
        host = standin.host
        job = Job(
            options.work / "content",
            options.work / "index",
            lambda existing: choose("ollama", None, host, existing),
            date.today(),
        )
        ingest(job, NoProgress())
    return tuple(_fault(way, options.work / "index", host, say) for way in WAYS)


def _fault(way: Way, index: Path, host: str, say: Say) -> Fault:
    say(way.what)
    port = int(host.rpartition(":")[2])
    with _served(index, host) as (reader, lookout):
        with running(port=port):
            _until_back(reader)
        before = lookout.looks
        with dead(way.name, port):
            begun = time.perf_counter()
            burst = _burst(reader, way.says)
            looks, seconds = lookout.looks - before, time.perf_counter() - begun
        with running(port=port):
            back = _until_back(reader)
    few = looks <= 1 + seconds / PAUSE or "" in way.says
    seen = (
        f"median {_ms(median(burst.added))}, worst {_ms(max(burst.added))} more than words "
        f"alone; {looks} asked in {seconds:.1f} s; meaning back after {_seconds(back)}; "
        + "; ".join(f"{count} × “{said}”" for said, count in burst.sentences.most_common())
    )
    held = burst.held if few and back is not None else 0
    seen = seen.replace(f"http://{host}", "HOST")
    return Fault(way.what, way.made, BURST, held, seen, lost="meaning, meanwhile")


@contextmanager
def _served(index: Path, host: str) -> Iterator[tuple[Reader, Counting]]:
    """The index as a server has it, and what counts how often Ollama is asked."""
    lookouts: list[Counting] = []

    def embedder_for(identity: EmbedderIdentity) -> Embedder:
        lookouts.append(Counting(identity.model, host))
        return GuardedEmbedder(lambda: ollama_of(identity, host), lookouts[-1])

    with closing(LiveIndex(index, embedder_for)) as live:
        reader = live.reader()
        yield reader, lookouts[0]


def _burst(reader: Reader, says: Sequence[str]) -> Burst:
    burst = Burst()
    for number in range(BURST):
        query = f"how does retrieval of passages work {number}"
        alone, _ = _asked(reader, query, Use.LEXICAL)
        seconds, notice = _asked(reader, query, Use.HYBRID)
        burst.added.append(seconds - alone)
        burst.sentences[notice or "answered with meaning"] += 1
        said = any(each in notice for each in says) if notice else "" in says
        burst.held += said and seconds - alone <= ALLOWED
    return burst


def _asked(reader: Reader, query: str, use: Use) -> tuple[float, str]:
    """Seconds one search took, and why it had no dense leg; empty if it had."""
    begun = time.perf_counter()
    notice = reader.search(query, Filters(), limit=5, offset=0, use=use).notice or ""
    _, _, why = notice.partition(NOTICE)
    return time.perf_counter() - begun, why.partition(" Low confidence")[0]


def _until_back(reader: Reader) -> float | None:
    """Seconds until a query has its dense leg again; `None` if that takes longer than RETURN."""
    begun = time.perf_counter()
    while time.perf_counter() - begun < RETURN:
        query = f"is meaning back at {time.perf_counter()}"
        if not _asked(reader, query, Use.HYBRID)[1]:
            return time.perf_counter() - begun
        time.sleep(0.1)
    return None


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


def _seconds(back: float | None) -> str:
    return "never" if back is None else f"{back:.1f} s"
