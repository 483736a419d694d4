"""An Ollama that is busy, down, broken, updated or replaced, while a blog is ingested and searched.

Whatever the case, no wrong vector is ever in the index, an index that was there still answers,
and once Ollama is well everything is whole.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from blog_search_mcp.index.store.layout import Layout
from tests.reliability.ollama_at_ingest import AT_INGEST
from tests.reliability.ollama_later import AT_A_QUERY, AT_THE_NEXT_INGEST
from tests.support.faults.ollama_scripts import LASTING, Case, always
from tests.support.faults.ollama_stage import ANSWER, MODEL, Stage, search, stage
from tests.support.ollama.faults import Fault, compressed, is_too_large, nested, redirects
from tests.support.ollama_standin import OllamaStandIn, running

MOST_REQUESTS = 200
"""Of one run here."""

NEW = {"wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.\n"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the stage's blog, made with an Ollama that was well."""
    with stage(tmp_path_factory.mktemp("good")) as made:
        made.ingest()
        return made.index


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path) as made:
        yield made


@pytest.fixture
def made_with_index(index: Path, tmp_path: Path) -> Iterator[Stage]:
    shutil.copytree(index, tmp_path / "index")
    with stage(tmp_path) as made:
        yield made


@pytest.mark.parametrize("case", AT_INGEST, ids=lambda case: case.what)
def test_a_first_ingest_passes_over_a_fault_or_names_it(case: Case, made: Stage) -> None:
    case.make(made)
    assert_named(case, made.output())
    assert_was_made(made)
    if Layout(made.index).current.exists():
        assert_vectors(made, case.lost)
    made.heal()
    assert_recovers(made)


@pytest.mark.parametrize("case", AT_THE_NEXT_INGEST, ids=lambda case: case.what)
def test_a_later_ingest_keeps_a_good_index_or_brings_it_up_to_date(
    case: Case, made_with_index: Stage
) -> None:
    made = made_with_index
    case.make(made)
    made.write(NEW)
    assert_named(case, made.output())
    assert_vectors(made)
    assert_answers(made)
    if not case.needs_rebuild:
        made.heal()
    assert_recovers(made, rebuild=case.needs_rebuild)


@pytest.mark.parametrize("case", AT_A_QUERY, ids=lambda case: case.what)
def test_a_search_is_answered_by_words_at_least_and_the_next_one_whole(
    case: Case, made_with_index: Stage
) -> None:
    made = made_with_index
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


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_text_goes_where_a_redirect_points(status: int, made_with_index: Stage) -> None:
    made = made_with_index
    with running(OllamaStandIn([MODEL])) as elsewhere:
        for path in ("/api/tags", "/api/version", "/api/show"):
            made.ollama.elsewhere[path] = redirects(status, f"http://{elsewhere.host}{path}")
        always(redirects(status, f"http://{elsewhere.host}/api/embed"))(made)
        made.write(NEW)
        said = made.output()
        with made.following() as live:
            during = search(live)
    both = (made.ollama.host, elsewhere.host)
    assert all(host in words for host in both for words in (said, during.notice or ""))
    assert elsewhere.requests == []
    assert during.hits[0].post.source == ANSWER


@pytest.mark.parametrize("fault", [None, compressed, is_too_large, nested])
def test_an_ingest_without_changes_looks_for_the_model_at_that_address_alone(
    fault: Fault | None, made_with_index: Stage
) -> None:
    made = made_with_index
    made.ingest()
    with running(OllamaStandIn([MODEL])) as elsewhere:
        pointing = redirects(307, f"http://{elsewhere.host}/api/tags")
        made.ollama.elsewhere["/api/tags"] = fault or pointing
        assert made.output() == ""
        assert elsewhere.requests == []
    assert made.ollama.broken


def test_no_two_cases_have_one_name() -> None:
    names = [case.what for case in (*AT_INGEST, *AT_THE_NEXT_INGEST, *AT_A_QUERY)]
    assert len(set(names)) == len(names)


def assert_named(case: Case, output: str) -> None:
    """The output matches the case's pattern, or is empty if the case has none."""
    assert re.search(case.seen, output) if case.seen else not output, output


def assert_was_made(made: Stage) -> None:
    """Every scripted fault was reached."""
    ollama = made.ollama
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
    assert_vectors(made, 0, made.ollama.reads_capitals)
    assert_answers(made)
