"""Ollama asked by a server: real requests to the stand-in, in a time that the tests give."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from blog_search_mcp.index.embedders import guarded as guarded_module
from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.circuit_breaker import LEAST_WAIT, RETRY_PAUSE
from blog_search_mcp.index.embedders.fingerprint import TEXTS
from blog_search_mcp.index.embedders.guarded import HEALTH_CHECK_INTERVAL, GuardedEmbedder
from blog_search_mcp.index.embedders.ollama.client import OllamaHealthCheck
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.registry import connect_embedder
from blog_search_mcp.index.embedders.remote.requests import ServerState
from blog_search_mcp.index.errors import (
    BlogSearchError,
    EmbedderMismatch,
    EmbedderUnavailable,
    ModelMissing,
)
from tests.support.ollama_standin import (
    Answer,
    Model,
    OllamaStandIn,
    closes,
    embedding,
    fails,
    replies,
    running,
)
from tests.support.waiting import PATIENCE, GivenTime, Held, silence, until


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running() as standin:
        yield standin


@pytest.fixture
def held() -> Iterator[Held]:
    fault = Held()
    yield fault
    fault.released.set()


class Counting(OllamaHealthCheck):
    """Counts its checks."""

    checks = 0

    def check(self) -> ServerState:
        self.checks += 1
        return super().check()


@dataclass
class Guarded:
    """A guarded embedder and what it is made of."""

    embedder: GuardedEmbedder
    health: Counting
    time: GivenTime

    def hears(self, text: str) -> str:
        """The sentence for one query; empty if it has its vector."""
        try:
            row = self.embedder.embed_query(text)
        except BlogSearchError as error:
            return str(error)
        np.testing.assert_array_equal(row, embedding(f"search_query: {text}", Model()))
        return ""

    def later(self, text: str) -> str:
        """The same when it is time to ask again."""
        self.time.at += RETRY_PAUSE
        return self.hears(text)


@pytest.fixture
def guard(ollama: OllamaStandIn) -> Guarded:
    return guarded(ollama.host)


def guarded(host: str) -> Guarded:
    with running() as once:
        identity = OllamaEmbedder(DEFAULT_MODEL, once.host).identity
    time, health = GivenTime(), Counting(identity.model, host)
    embedder = GuardedEmbedder(connect_embedder(identity, host), health, time.now, time.wait)
    return Guarded(embedder, health, time)


def restarted(standin: OllamaStandIn) -> OllamaStandIn:
    """Another one with the same models, for the same port."""
    return OllamaStandIn(models=standin.models, version=standin.version)


def port_of(standin: OllamaStandIn) -> int:
    return int(standin.host.rpartition(":")[2])


def test_a_query_gets_the_vector_that_ollama_gives(ollama: OllamaStandIn, guard: Guarded) -> None:
    assert guard.hears("a query") == ""
    assert guard.time.waited == []
    assert ollama.embedded[-1]["keep_alive"] == "30m"


def test_the_identity_is_the_index_s_and_asks_nobody(ollama: OllamaStandIn, guard: Guarded) -> None:
    assert guard.embedder.identity.name == "ollama nomic-embed-text"
    assert guard.embedder.vocabulary_coverage(["plain words", "快取"])[0] == 1.0
    assert ollama.requests == []


def test_documents_are_not_guarded(guard: Guarded) -> None:
    rows = guard.embedder.embed_documents(["one", "two"])
    expected = [embedding(f"search_document: {text}", Model()) for text in ("one", "two")]
    np.testing.assert_array_equal(rows, np.stack(expected))
    assert guard.health.checks == 0


def test_a_recent_query_is_asked_of_ollama_once_until_others_take_its_place(
    ollama: OllamaStandIn, guard: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_module, "RECENT_QUERIES", 2)
    for text in ("soup", "stew", "soup", "bread", "soup", "stew"):
        assert guard.hears(text) == ""
    assert [body["input"][0].split()[-1] for body in ollama.embedded] == [
        "soup",
        "stew",
        "bread",
        "stew",
    ]


def test_down_is_said_at_once_to_every_query_and_one_in_a_while_looks() -> None:
    with running() as standin:
        guard = guarded(standin.host)
    down = (
        f"Ollama at http://{standin.host} cannot be reached. Start it (`ollama serve` or the app), "
        "or name its address with --embedder-url or OLLAMA_HOST."
    )
    assert {guard.hears(f"query {n}") for n in range(100)} == {down}
    assert guard.health.checks == 1
    assert guard.later("one more") == down
    assert guard.hears("and another") == down
    assert guard.health.checks == 2
    assert guard.time.waited == []


def test_the_first_query_that_may_ask_after_a_return_has_its_vector() -> None:
    with running() as standin:
        guard = guarded(standin.host)
        assert guard.hears("before") == ""
    assert "cannot be reached" in guard.hears("while it is down")
    with running(restarted(standin), port=port_of(standin)):
        assert "cannot be reached" in guard.hears("too early")
        assert guard.later("after") == ""
        assert guard.hears("and all that follow") == ""


def test_a_vector_that_was_had_before_is_had_while_ollama_is_down() -> None:
    with running() as standin:
        guard = guarded(standin.host)
        assert guard.hears("a query") == ""
    assert "cannot be reached" in guard.hears("another")
    assert guard.hears("a query") == ""


def test_a_host_that_takes_connections_and_says_nothing_is_waited_for_once() -> None:
    with silence() as host:
        guard = guarded(host)
        guard.time.silent = True
        silent = (
            f"Ollama at {host} does not answer. Ask again in a moment; if it stays so, restart "
            "Ollama."
        )
        assert guard.hears("a query") == silent
        assert guard.time.waited == [LEAST_WAIT]
        assert "not answer" in guard.hears("another")
        assert guard.time.waited == [LEAST_WAIT]
        assert guard.health.checks == 1


def test_what_is_still_loading_is_waited_for_once_and_the_late_vector_is_kept(
    ollama: OllamaStandIn, guard: Guarded, held: Held
) -> None:
    ollama.faults, guard.time.held = [held], held
    loading = (
        f"Ollama at http://{ollama.host} is still loading nomic-embed-text, or is busy. Ask again "
        "in a moment; if it stays so, restart Ollama."
    )
    assert guard.hears("the first") == loading
    assert guard.time.waited == [LEAST_WAIT]
    assert [guard.hears("another"), guard.later("a third")] == [loading, loading]
    assert guard.time.waited == [LEAST_WAIT]
    assert len(ollama.embedded) == 1

    held.released.set()
    guard.time.held = None
    until(lambda: guard.hears("the first") == "")
    assert guard.hears("another") == ""
    assert [body["input"] for body in ollama.embedded] == [
        ["search_query: the first"],
        ["search_query: another"],
    ]


def test_an_ollama_that_usually_takes_long_is_waited_for_in_proportion(
    ollama: OllamaStandIn, guard: Guarded, held: Held
) -> None:
    def slow(_server: OllamaStandIn, answer: Answer) -> Answer:
        guard.time.at += 0.4
        return answer

    ollama.faults = [slow, held]
    assert guard.hears("a slow one") == ""
    guard.time.held = held
    assert "still loading" in guard.hears("one that hangs")
    assert guard.time.waited == [pytest.approx(0.8)]


def test_a_look_counts_towards_the_wait(ollama: OllamaStandIn, guard: Guarded, held: Held) -> None:
    check = guard.health.check

    def slow_check() -> ServerState:
        guard.time.at += 0.1
        return check()

    guard.health.check = slow_check  # type: ignore[method-assign]
    ollama.faults, guard.time.held = [held], held
    assert "still loading" in guard.hears("a query")
    assert guard.time.waited == [pytest.approx(LEAST_WAIT - 0.1)]


def test_several_queries_at_once_ask_once_while_it_is_in_trouble(
    ollama: OllamaStandIn, guard: Guarded, held: Held
) -> None:
    ollama.faults = [fails(503, "server busy")] * 2
    assert "is busy" in guard.hears("before")
    guard.time.at += RETRY_PAUSE
    ollama.faults = [held]
    before = len(ollama.embedded), guard.health.checks
    with ThreadPoolExecutor(8) as queries:
        asked = [queries.submit(guard.hears, f"query {n}") for n in range(8)]
        until(lambda: sum(each.done() for each in asked) == 7)
        held.released.set()
    heard = sorted(each.result() for each in asked)
    assert heard[0] == ""
    assert all("is busy" in sentence for sentence in heard[1:])
    assert (len(ollama.embedded), guard.health.checks) == (before[0] + 1, before[1] + 1)


def test_several_queries_at_once_are_all_answered_while_all_is_well(guard: Guarded) -> None:
    with ThreadPoolExecutor(8) as queries:
        heard = list(queries.map(guard.hears, [f"query {n}" for n in range(8)]))
    assert heard == [""] * 8


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (fails(503, "server busy, please try again."), "is busy. Try again in a moment."),
        (replies(502, "<html>Bad Gateway</html>"), "failed while embedding: <html>Bad Gateway"),
        (fails(500, "llama-server process has terminated"), "failed while embedding: llama-server"),
        (closes, "failed while embedding:"),
        (replies(200, "[]"), "something that is not Ollama's answer"),
    ],
)
def test_what_ollama_answers_instead_of_a_vector_is_said_until_it_is_mended(
    fault: object, said: str, ollama: OllamaStandIn, guard: Guarded
) -> None:
    ollama.faults = [fault, fault]  # type: ignore[list-item]
    assert said in guard.hears("a query")
    assert said in guard.hears("another")
    assert guard.later("a third") == ""
    assert guard.hears("a fourth") == ""


def test_a_deleted_model_is_said_although_it_was_there_and_a_pull_mends_it(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    assert guard.hears("before") == ""
    pulled, ollama.models = ollama.models, []
    missing = (
        f"Ollama at http://{ollama.host} does not have the model nomic-embed-text. "
        "Run `ollama pull nomic-embed-text`."
    )
    with pytest.raises(ModelMissing) as raised:
        guard.embedder.embed_query("while it is gone")
    assert str(raised.value) == missing
    assert guard.hears("again") == missing
    ollama.models = pulled
    assert guard.later("after") == ""


def test_other_weights_under_the_same_name_are_refused_while_serving_and_the_old_ones_welcome(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    assert guard.hears("before") == ""
    guard.time.at += HEALTH_CHECK_INTERVAL
    ours, ollama.models = ollama.models, [Model(digest="f" * 64)]
    with pytest.raises(EmbedderMismatch, match="other weights of Ollama's nomic-embed-text"):
        guard.embedder.embed_query("with other weights")
    ollama.models = ours
    assert guard.later("after") == ""


def test_a_query_soon_after_another_asks_for_its_vector_alone(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    assert guard.hears("before") == ""
    ollama.requests.clear()
    guard.time.at += HEALTH_CHECK_INTERVAL - 0.1
    assert [guard.hears(text) for text in ("one", "another")] == ["", ""]
    assert [request.path for request in ollama.requests] == ["/api/embed", "/api/embed"]
    guard.time.at += 0.1
    ollama.requests.clear()
    assert guard.hears("a third") == ""
    look = ["/api/tags", "/api/version"]
    assert [request.path for request in ollama.requests] == [*look, "/api/embed"]


def test_a_vector_that_other_weights_may_have_given_is_forgotten_once_they_are_seen(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    assert guard.hears("before") == ""
    ours, ollama.models = ollama.models, [Model(digest="f" * 64)]
    assert guard.hears("a query") == ""
    guard.time.at += HEALTH_CHECK_INTERVAL
    with pytest.raises(EmbedderMismatch):
        guard.embedder.embed_query("with other weights")
    ollama.models = ours
    ollama.requests.clear()
    assert guard.later("a query") == ""
    assert len(ollama.embedded) == 1


def test_what_was_learnt_of_ollama_is_asked_again_when_its_version_is_another(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    assert guard.hears("before") == ""
    guard.time.at += HEALTH_CHECK_INTERVAL
    ollama.version = "0.33.1"
    ollama.requests.clear()
    assert guard.hears("after") == ""
    assert len(ollama.embedded) > len(TEXTS)


def test_the_model_is_loaded_in_the_background_for_half_an_hour(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    guard.embedder.warm_up().result(PATIENCE)
    assert [(body["input"], body["keep_alive"]) for body in ollama.embedded] == [([], "30m")]


def test_a_query_meanwhile_asks_for_itself(
    ollama: OllamaStandIn, guard: Guarded, held: Held
) -> None:
    ollama.faults = [held]
    warm = guard.embedder.warm_up()
    assert held.reached.wait(PATIENCE)
    assert guard.hears("a query") == ""
    held.released.set()
    warm.result(PATIENCE)


def test_a_failed_warm_up_is_what_the_next_query_hears_without_asking(
    ollama: OllamaStandIn, guard: Guarded
) -> None:
    ollama.models = []
    with pytest.raises(ModelMissing):
        guard.embedder.warm_up().result(PATIENCE)
    asked = len(ollama.requests)
    assert "ollama pull nomic-embed-text" in guard.hears("a query")
    assert len(ollama.requests) == asked


def test_other_weights_are_not_even_loaded(ollama: OllamaStandIn, guard: Guarded) -> None:
    ollama.models = [Model(digest="f" * 64)]
    with pytest.raises(EmbedderMismatch):
        guard.embedder.warm_up().result(PATIENCE)
    assert ollama.embedded == []


def test_settings_that_the_client_cannot_start_with_are_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guard = guarded("http://ollama.example")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/at/all.pem")
    assert "Correct OLLAMA_HOST, which it reads" in guard.hears("a query")
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "Correct OLLAMA_HOST, which it reads" in guard.hears("too early to try again")
    assert guard.health.checks == 0


def test_a_look_says_what_is_there(ollama: OllamaStandIn) -> None:
    assert OllamaHealthCheck("nomic-embed-text", ollama.host).check() == ServerState(
        "0.32.15", Model().digest
    )
    assert OllamaHealthCheck("bge-m3", ollama.host).check() == ServerState("0.32.15", "")
    ollama.version = None
    assert OllamaHealthCheck("nomic-embed-text", ollama.host).check() == ServerState(
        "", Model().digest
    )


def test_whatever_answers_a_look_is_alive(ollama: OllamaStandIn) -> None:
    assert (
        OllamaHealthCheck("nomic-embed-text", f"http://{ollama.host}/elsewhere").check()
        == ServerState()
    )


def test_a_look_at_nobody_raises() -> None:
    with running() as standin:
        health = OllamaHealthCheck("nomic-embed-text", standin.host)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        health.check()
