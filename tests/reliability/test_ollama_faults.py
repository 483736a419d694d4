"""An Ollama that is busy, down, broken, updated or replaced, while a blog is ingested and searched.

Whatever the case, no wrong vector is ever in the index, an index that was there still answers,
and once Ollama is well everything is whole.
"""

from __future__ import annotations

import pytest

from tests.reliability.ollama_at_ingest import AT_INGEST
from tests.reliability.ollama_later import AT_A_QUERY, AT_THE_NEXT_INGEST
from tests.reliability.server_trials import NEW, try_first_ingest, try_later_ingest, try_query
from tests.support.faults.ollama_scripts import Case, always
from tests.support.faults.ollama_stage import ANSWER, MODEL, Stage, search
from tests.support.ollama.faults import redirects
from tests.support.ollama_standin import OllamaStandIn, running

STAGE = Stage
"""What the fixtures of stages are of."""


@pytest.mark.parametrize("case", AT_INGEST, ids=lambda case: case.what)
def test_a_first_ingest_passes_over_a_fault_or_names_it(case: Case, new_stage: Stage) -> None:
    try_first_ingest(case, new_stage)


@pytest.mark.parametrize("case", AT_THE_NEXT_INGEST, ids=lambda case: case.what)
def test_a_later_ingest_keeps_a_good_index_or_brings_it_up_to_date(
    case: Case, indexed_stage: Stage
) -> None:
    try_later_ingest(case, indexed_stage)


@pytest.mark.parametrize("case", AT_A_QUERY, ids=lambda case: case.what)
def test_a_search_is_answered_by_words_at_least_and_the_next_one_whole(
    case: Case, indexed_stage: Stage
) -> None:
    try_query(case, indexed_stage)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_text_goes_where_a_redirect_points(status: int, indexed_stage: Stage) -> None:
    made = indexed_stage
    with running(OllamaStandIn([MODEL])) as elsewhere:
        for path in ("/api/tags", "/api/version", "/api/show"):
            made.server.elsewhere[path] = redirects(status, f"http://{elsewhere.host}{path}")
        always(redirects(status, f"http://{elsewhere.host}/api/embed"))(made)
        made.write(NEW)
        said = made.output()
        with made.following() as live:
            during = search(live)
    both = (made.server.host, elsewhere.host)
    assert all(host in words for host in both for words in (said, during.notice or ""))
    assert elsewhere.requests == []
    assert during.hits[0].post.source == ANSWER


def test_no_two_cases_have_one_name() -> None:
    names = [case.what for case in (*AT_INGEST, *AT_THE_NEXT_INGEST, *AT_A_QUERY)]
    assert len(set(names)) == len(names)
