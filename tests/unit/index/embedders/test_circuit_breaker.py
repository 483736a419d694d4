"""When an embedder may be asked and how long it is waited for; the clock is ours."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from blog_search_mcp.index.embedders.circuit_breaker import (
    ATTEMPT_TIMEOUT,
    LEAST_WAIT,
    MOST_WAIT,
    RETRY_PAUSE,
    WAIT_FACTOR,
    CircuitBreaker,
)
from blog_search_mcp.index.errors import BlogSearchError, EmbedderUnavailable, ModelMissing

DOWN = EmbedderUnavailable("nobody there")
MISSING = ModelMissing("no such model")


@dataclass
class Clock:
    at: float = 1000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(clock)


def trouble(breaker: CircuitBreaker) -> BlogSearchError | None:
    """What a query hears, `None` if it may ask."""
    try:
        breaker.admit()
    except BlogSearchError as error:
        return error
    return None


def test_a_query_of_which_nothing_is_known_may_ask_and_wait_briefly(
    breaker: CircuitBreaker,
) -> None:
    assert breaker.admit().wait == LEAST_WAIT


def test_after_a_failure_queries_hear_of_it_and_do_not_ask(breaker: CircuitBreaker) -> None:
    breaker.record_failure(breaker.admit(), DOWN)
    assert [trouble(breaker) for _ in range(100)] == [DOWN] * 100


def test_one_query_asks_after_the_pause_and_the_others_go_on_hearing(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    breaker.record_failure(breaker.admit(), DOWN)
    clock.at += RETRY_PAUSE - 0.001
    assert trouble(breaker) is DOWN
    clock.at += 0.001
    assert [trouble(breaker) for _ in range(3)] == [None, DOWN, DOWN]


def test_the_pause_begins_anew_with_each_failure(breaker: CircuitBreaker, clock: Clock) -> None:
    attempt = breaker.admit()
    breaker.record_failure(attempt, DOWN)
    asked = []
    for second in range(1, 61):
        clock.at += 1
        if trouble(breaker) is None:
            asked.append(second)
            clock.at += 1
            breaker.record_failure(attempt, DOWN)
    assert asked == list(range(5, 61, 5))


def test_a_success_lets_every_query_ask_again(breaker: CircuitBreaker, clock: Clock) -> None:
    breaker.record_failure(breaker.admit(), DOWN)
    clock.at += RETRY_PAUSE
    breaker.admit()
    breaker.record_success(0.02)
    assert [trouble(breaker) for _ in range(3)] == [None, None, None]


def test_the_newest_failure_is_what_is_heard(breaker: CircuitBreaker) -> None:
    attempt = breaker.admit()
    breaker.record_failure(attempt, DOWN, pause=ATTEMPT_TIMEOUT)
    breaker.record_failure(attempt, MISSING)
    assert trouble(breaker) is MISSING


def test_an_attempt_without_an_end_keeps_others_from_asking_for_a_while(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    breaker.record_failure(breaker.admit(), DOWN, pause=ATTEMPT_TIMEOUT)
    clock.at += ATTEMPT_TIMEOUT - 0.001
    assert trouble(breaker) is DOWN
    clock.at += 0.001
    assert [trouble(breaker), trouble(breaker)] == [None, DOWN]
    clock.at += ATTEMPT_TIMEOUT
    assert trouble(breaker) is None


def test_the_pause_follows_the_end_of_an_attempt_that_was_waited_for_in_vain(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    attempt = breaker.admit()
    breaker.record_failure(attempt, DOWN, pause=ATTEMPT_TIMEOUT)
    clock.at += 1
    breaker.record_failure(attempt, MISSING)
    clock.at += RETRY_PAUSE
    assert trouble(breaker) is None


def test_a_failure_that_is_heard_of_after_a_later_success_is_out_of_date(
    breaker: CircuitBreaker,
) -> None:
    slow, quick = breaker.admit(), breaker.admit()
    assert slow == quick
    breaker.record_success(0.02)
    breaker.record_failure(slow, DOWN)
    breaker.record_failure(slow, DOWN, pause=ATTEMPT_TIMEOUT)
    assert trouble(breaker) is None


def test_failures_of_ours_are_noted_on_their_way_and_others_are_not(
    breaker: CircuitBreaker,
) -> None:
    attempt = breaker.admit()
    with pytest.raises(ZeroDivisionError), breaker.recording_failures(attempt):
        raise ZeroDivisionError
    assert trouble(breaker) is None
    with pytest.raises(ModelMissing), breaker.recording_failures(attempt):
        raise MISSING
    assert trouble(breaker) is MISSING


def test_hearing_of_a_failure_a_thousand_times_leaves_no_trace_in_it(
    breaker: CircuitBreaker,
) -> None:
    breaker.record_failure(breaker.admit(), DOWN)
    for _ in range(1000):
        heard = trouble(breaker)
    assert heard is DOWN
    depth, frame = 0, DOWN.__traceback__
    while frame is not None:
        depth, frame = depth + 1, frame.tb_next
    assert depth == 2


@pytest.mark.parametrize(
    ("seconds", "wait"),
    [
        ([0.02], LEAST_WAIT),
        ([LEAST_WAIT / WAIT_FACTOR], LEAST_WAIT),
        ([0.4], 0.8),
        ([15.0], MOST_WAIT),
        ([15.0, 0.4], 0.8),
        ([15.0, 0.4, 0.3, 0.5, 0.4, 0.4], 0.8),
        ([0.4, 0.4, 0.4, 0.02, 0.02, 0.02], LEAST_WAIT),
    ],
)
def test_an_embedder_that_works_may_take_twice_its_usual_time(
    seconds: list[float], wait: float, breaker: CircuitBreaker
) -> None:
    for each in seconds:
        breaker.record_success(each)
    assert breaker.admit().wait == wait


def test_loading_the_model_says_nothing_about_the_usual_time(breaker: CircuitBreaker) -> None:
    breaker.record_success(0.4)
    breaker.record_success()
    assert breaker.admit().wait == 0.8


def test_after_a_failure_the_usual_time_is_not_waited_for(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    breaker.record_success(0.8)
    breaker.record_failure(breaker.admit(), DOWN)
    clock.at += RETRY_PAUSE
    assert breaker.admit().wait == LEAST_WAIT
