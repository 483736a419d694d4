"""A kind of fault in; made, looked at and mended on a stage, its outcome out.

Whatever the kind, three things must hold besides what was said: no wrong vector is ever in
the index, an index that was there still answers, and in the end all is whole.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.chaos.ollama.at_ingest import AT_INGEST
from benchmarks.chaos.ollama.kind import LASTING, Kind, Outcome
from benchmarks.chaos.ollama.later import AT_A_QUERY, AT_THE_NEXT_INGEST
from benchmarks.chaos.ollama.stage import ANSWER, POSTS, Stage, asked, stage
from blog_search_mcp.index.store.layout import Layout

MOST_REQUESTS = 200
"""Of one run here."""

NEW = {"wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.\n"}


def play_at_ingest(kind: Kind, work: Path) -> Outcome:
    """Ingest a new blog with the fault, then without it."""
    with stage(work) as made:
        kind.make(made)
        said = made.said()
        faults = _unexpected(kind, said)
        faults += _never_made(made)
        lost = "nothing"
        if Layout(made.index).current.exists():
            faults += _vectors(made, kind.lost)
            lost = (
                f"{kind.lost} of {len(POSTS)} vectors, until Ollama is updated"
                if kind.lost
                else lost
            )
        elif made.cached:
            lost = f"nothing; {made.cached} embeddings are kept"
        made.heal()
        faults += _mended(made)
        return Outcome(said, lost, tuple(faults))


def play_at_the_next_ingest(kind: Kind, work: Path, index: Path) -> Outcome:
    """Ingest a new post into a good index with the fault, then as the author is told to."""
    with _with_index(work, index) as made:
        kind.make(made)
        made.write(NEW)
        said = made.said()
        faults = [*_unexpected(kind, said), *_vectors(made), *_answered(made)]
        if kind.mend == "--rebuild":
            faults += _mended(made, rebuild=True)
        else:
            made.heal()
            faults += _mended(made)
        return Outcome(said, "nothing", tuple(faults))


def play_at_a_query(kind: Kind, work: Path, index: Path) -> Outcome:
    """Ask a server before, during and after the fault."""
    with _with_index(work, index) as made, made.following() as live:
        before = asked(live)
        kind.make(made)
        during = asked(live)
        faults = _never_made(made)
        made.heal()
        after = asked(live)
        faults += _unexpected(kind, during.notice or "")
        if before.notice or after.notice or before != after:
            faults.append(f"afterwards the answer was another: {after.notice}")
        if during.hits[0].post.source != ANSWER:
            faults.append(f"the first hit was {during.hits[0].post.source}")
        lost = "nothing" if during == before else "search by meaning, for this query"
        return Outcome(during.notice or "", lost, tuple(faults))


Play = Callable[[Kind, Path], Outcome]


def plays(index: Path) -> tuple[tuple[Kind, Play], ...]:
    """Every kind with how it is played; `index` is a good one, made by `good_index`."""
    return (
        *((kind, play_at_ingest) for kind in AT_INGEST),
        *(
            (kind, lambda kind, work: play_at_the_next_ingest(kind, work, index))
            for kind in AT_THE_NEXT_INGEST
        ),
        *((kind, lambda kind, work: play_at_a_query(kind, work, index)) for kind in AT_A_QUERY),
    )


def good_index(work: Path) -> Path:
    """The index of the stage's blog, made by an Ollama that was well."""
    with stage(work) as made:
        made.ingest()
        return made.index


@contextmanager
def _with_index(work: Path, index: Path) -> Iterator[Stage]:
    shutil.copytree(index, work / "index")
    with stage(work) as made:
        yield made


def _never_made(made: Stage) -> list[str]:
    """Whether a scripted fault was not come to."""
    ollama = made.ollama
    waiting = sum(fault is not None for fault in ollama.faults)
    left = waiting == LASTING or 0 < waiting < LASTING - MOST_REQUESTS
    unmet = (ollama.on_text or ollama.elsewhere) and not ollama.broken
    return ["the fault was never made"] if left or unmet else []


def _unexpected(kind: Kind, said: str) -> list[str]:
    found = re.search(kind.seen, said) if kind.seen else not said
    return [] if found else [f"said {said!r}"]


def _vectors(made: Stage, lacking: int = 0, reads_capitals: bool = True) -> list[str]:
    """What is wrong with the index's vectors, if not that so many are lacking."""
    kept = made.kept(reads_capitals)
    whole = kept.wrong == 0 and kept.lacking == lacking and kept.right > 0
    return [] if whole else [f"the index had {kept}"]


def _answered(made: Stage) -> list[str]:
    with made.following() as live:
        hits = asked(live).hits
    return [] if hits and hits[0].post.source == ANSWER else ["the index did not answer"]


def _mended(made: Stage, *, rebuild: bool = False) -> list[str]:
    said = made.said(rebuild=rebuild)
    odd = [f"mending said {said!r}"] if said else []
    return [*odd, *_vectors(made, 0, made.ollama.reads_capitals), *_answered(made)]
