"""What must hold of any embedding server that is busy, down, broken, updated or replaced.

Whatever the case, no wrong vector is ever in the index, an index that was there still answers,
and once the server is well everything is whole.
"""

from __future__ import annotations

import re

from blog_search_mcp.index.store.disk import Layout
from tests.support.faults.ollama_scripts import LASTING, Case
from tests.support.faults.ollama_stage import ANSWER, Stage, search

MOST_REQUESTS = 200
"""Of one run here."""

NEW = {"wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.\n"}


def try_first_ingest(case: Case, made: Stage) -> None:
    """Ingest with the fault: it is passed over or named; the next run, or a rebuild, is whole."""
    case.make(made)
    assert_named(case, made.output())
    assert_was_made(made)
    if Layout(made.index).current.exists():
        assert_vectors(made, case.lost)
    made.heal()
    assert_recovers(made, rebuild=bool(case.lost))


def try_later_ingest(case: Case, made: Stage) -> None:
    """Ingest a new post with the fault: the index stays good or becomes what it should be."""
    case.make(made)
    made.write(NEW)
    assert_named(case, made.output())
    assert_vectors(made)
    assert_answers(made)
    if not case.needs_rebuild:
        made.heal()
    assert_recovers(made, rebuild=case.needs_rebuild)


def try_query(case: Case, made: Stage) -> None:
    """Search with the fault: words answer at least, with a notice, and the next answer is whole."""
    with made.following() as live:
        before = search(live)
        case.make(made)
        during = search(live)
        assert_was_made(made)
        made.heal()
        assert search(live) == before
    assert before.notice is None
    assert_named(case, during.notice or "")
    assert during.hits[0].post.source == ANSWER


def assert_named(case: Case, output: str) -> None:
    """The output matches the case's pattern, or is empty if the case has none."""
    assert re.search(case.seen, output) if case.seen else not output, output


def assert_was_made(made: Stage) -> None:
    """Every scripted fault was reached."""
    ollama = made.server
    waiting = sum(fault is not None for fault in ollama.faults)
    assert waiting != LASTING
    assert not 0 < waiting < LASTING - MOST_REQUESTS
    assert ollama.broken or not (ollama.on_text or ollama.elsewhere)


def assert_vectors(made: Stage, lacking: int = 0, reads_capitals: bool = True) -> None:
    """No stored vector is wrong, and exactly `lacking` windows have none."""
    stored = made.stored_vectors(reads_capitals)
    assert (stored.wrong, stored.lacking) == (0, lacking)
    assert stored.right > 0


def assert_answers(made: Stage) -> None:
    with made.following() as live:
        assert search(live).hits[0].post.source == ANSWER


def assert_recovers(made: Stage, *, rebuild: bool = False) -> None:
    assert made.output(rebuild=rebuild) == ""
    assert_vectors(made, 0, made.server.reads_capitals)
    assert_answers(made)
