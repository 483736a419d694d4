"""Which questions of the log count as missed, and how they are put together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from blog_search_mcp.server.cli.missed import SHOWN, find_missed, find_weak
from blog_search_mcp.server.usage import LoggedCall
from tests.support.blog import MakeBlog
from tests.support.server_fixtures import FixedSearcher

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def call(query: str, minute: float = 0, **more: Any) -> LoggedCall:
    facts: dict[str, Any] = {"tool": "search_blog", "ms": 10, "hits": 3, **more}
    confidence = facts.pop("confidence", "medium")
    time = NOON + timedelta(minutes=minute)
    return LoggedCall(time=time, query=query, confidence=confidence, **facts)


def test_little_found_and_nothing_found_are_weak_and_a_further_page_is_no_question() -> None:
    calls = [
        call("rotate keys", hits=0),
        call("rye bread", confidence="low"),
        call("rye bread", confidence="low", offset=5),
        call("kv cache"),
        call("its arguments", hits=None, tool="read_chunk", failed=True),
        call("what an author asks", hits=0, tool="timeline"),
    ]
    assert [(each.query, why) for each, why in find_weak(calls)] == [
        ("rotate keys", "nothing found"),
        ("rye bread", "low confidence"),
    ]


def test_a_search_that_its_client_reads_nothing_of_is_weak_unless_it_was_sure() -> None:
    read = call("{}", 4, tool="read_chunk", hits=None, session="a")
    calls = [
        call("read soon", session="a"),
        call("read by another client", session="b"),
        call("sure", confidence="high", session="b"),
        call("of many clients"),
        read,
        call("read too late", 5, session="a"),
        read.model_copy(update={"time": NOON + timedelta(minutes=11)}),
    ]
    assert [(each.query, why) for each, why in find_weak(calls)] == [
        ("read by another client", "not read"),
        ("read too late", "not read"),
    ]


def test_what_the_blog_answers_by_now_is_left_out(blog: MakeBlog) -> None:
    made = blog({"soup.md": "# Onion soup\n\nBoil an onion.\n"})
    calls = [call("Onion soup", hits=0), call("walrus", hits=0)]
    missed = find_missed(calls, made.engine())
    assert [gap.questions for gap in missed.gaps] == [("walrus",)]
    assert (missed.answered, missed.others, missed.gaps[0].nearest) == (1, 0, None)


def test_more_than_can_be_shown_are_counted() -> None:
    calls = [call(f"question {number}", hits=0) for number in range(SHOWN + 2)]
    missed = find_missed(calls, FixedSearcher())
    assert (len(missed.gaps), missed.others) == (SHOWN, 2)


def test_case_and_spaces_do_not_tell_two_questions_apart_and_the_last_wording_counts() -> None:
    calls = [call("How  to ROTATE?", hits=0), call("how to rotate?", 1, hits=0), call("x", hits=0)]
    first, second = find_missed(calls, FixedSearcher()).gaps
    assert (first.questions, first.count, second.questions) == (("how to rotate?",), 2, ("x",))
