"""Blogs embedded by a server: what it is asked, what is said of its faults, and what is kept.

Whatever the fault, no wrong vector is ever in the index, an index that was there still answers,
and once the server is well everything is whole.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from blog_search_mcp.api import open_index
from blog_search_mcp.index.embedders import connection as client
from blog_search_mcp.index.embedders import guard as serving
from blog_search_mcp.index.embedders import remote
from blog_search_mcp.index.embedders.connection import RetryPolicy, classify_reply
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.store.disk import Layout
from tests.support import openai_standin
from tests.support.blog import load_rows
from tests.support.front import Blog, Ran, command
from tests.support.ollama_standin import (
    Answer,
    Fault,
    OllamaStandIn,
    alters,
    becomes,
    breaks_off,
    closes,
    compressed,
    embedding,
    fails,
    goes_on,
    hangs,
    replies,
    running,
)
from tests.support.openai_standin import BGE, OpenAIStandIn
from tests.support.waiting import until

POSTS = {
    "wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.",
    "keys.md": "# Keys and poison\n\nA key of brass is filed until the poison lock turns.",
}
MANY = {f"{number:02}.md": f"# Walk {number}\n\nPast {number} farms." for number in range(34)}
"""More than go out in one batch."""
FEW = dict([*MANY.items()][:6])
QUESTION = "how is a fleece washed"
WORDS = "Keyword matches only"
PAGE = "<html><h1>Please log in</h1></html>"
LATE = 0.3
"""Seconds until an answer counts as late here; the stand-in's own take a hundredth."""


@dataclass(frozen=True)
class Served:
    """A blog, and the server that embeds it."""

    blog: Blog
    server: OllamaStandIn
    options: tuple[str, ...]
    texts: set[str] = field(default_factory=set)
    """All that was ever sent."""

    def ingest(self, posts: Mapping[str, str] = POSTS, *options: str) -> Ran:
        """Write posts and ingest them by the server."""
        self.blog.write(posts)
        self.server.requests.clear()
        ran = self.blog.ingest(*self.options, *options)
        self.texts.update(self.sent())
        return ran

    def sent(self) -> list[str]:
        """The texts of the last ingest, in the order they were asked for."""
        return [text for body in self.server.embedded for text in body["input"]]

    def search(self, query: str = QUESTION) -> str:
        """What a search prints; without a notice it went by meaning too."""
        return self.blog.command("search", query, "--embedder-url", self.options[-1]).out

    def heal(self) -> None:
        """Have the server well again."""
        self.server.on_text, self.server.elsewhere = {}, {}
        self.server.models, self.server.reads_capitals = type(self.server)().models, True

    def assert_whole(self) -> None:
        """Each post, of one chunk, has the vector of its own text, and a search goes by meaning."""
        [model] = type(self.server)().models
        number = FolderStore(self.blog.index).current_number()
        rows = load_rows(Layout(self.blog.index).generation(number).vectors)[1]
        posts = [path.read_text().split("\n\n")[-1] for path in self.blog.content.iterdir()]
        texts = [text for text in self.texts if any(post in text for post in posts)]
        right = np.array([embedding(text, model) for text in texts])
        nearness = right @ rows.T
        assert len(rows) == len(posts) == len({*nearness.argmax(axis=0)})
        assert nearness.max(axis=0).min() > 0.999
        assert WORDS not in self.search()


@contextmanager
def serve(like: OllamaStandIn, folder: Path) -> Iterator[Served]:
    """A new server of a kind, and a new blog."""
    blog = Blog(folder / "content", folder / "index")
    with running(type(like)()) as server:
        kind, model, url = "ollama", "nomic-embed-text", server.host
        if isinstance(server, OpenAIStandIn):
            kind, model, url = "openai", BGE.name, server.url
        named = ("--embedder", kind, "--model", model, "--embedder-url", url)
        yield Served(blog, server, named)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemoteEmbedder, "for_documents", RetryPolicy(LATE, (0.0, 0.0)))
    monkeypatch.setattr(remote, "FOR_A_QUERY", RetryPolicy(LATE, ()))


KINDS = (OllamaStandIn(), OpenAIStandIn())


@pytest.fixture(params=KINDS, ids=["ollama", "openai"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with serve(request.param, tmp_path) as made:
        yield made


@pytest.fixture(scope="module", params=KINDS, ids=["ollama", "openai"])
def _standing(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    with serve(request.param, tmp_path_factory.mktemp("standing")) as made:
        assert made.ingest().status == 0
        yield made


@pytest.fixture
def standing(_standing: Served) -> Iterator[Served]:
    """A blog that was ingested, with what earlier tests of this module added, and a well server."""
    yield _standing
    _standing.heal()


def name_posts(name: str, count: int = 1) -> dict[str, str]:
    """Posts of that name."""
    names = [f"{name} {number}" for number in range(count)]
    return {f"{each}.md": f"# The {each}\n\nPast farms to the {each}." for each in names}


@pytest.fixture
def ollama(tmp_path: Path) -> Iterator[Served]:
    with serve(OllamaStandIn(), tmp_path) as made:
        yield made


def test_each_text_goes_out_after_the_prefix_of_its_role_and_is_never_cut(ollama: Served) -> None:
    assert ollama.ingest().status == 0
    documents = ollama.sent()
    assert all(text.startswith("search_document: ") for text in documents)
    assert any(text.startswith("search_document: Wool") for text in documents)
    assert {(body["truncate"], body["keep_alive"]) for body in ollama.server.embedded} == {
        (False, "30m")
    }
    ollama.server.requests.clear()
    assert WORDS not in ollama.search()
    assert f"search_query: {QUESTION}" in ollama.sent()


def test_many_texts_go_out_in_batches_and_none_is_paid_for_twice(served: Served) -> None:
    assert (ran := served.ingest(MANY)).status == 0
    assert max(len(body["input"]) for body in served.server.embedded) == 32
    assert ran.err.count("embedding texts") > 1
    assert served.ingest(MANY, "--rebuild").status == 0
    assert not any("farms" in text for text in served.sent())


def once(fault: Fault, times: int = 1) -> Fault:
    """The fault at the first request alone, or at so many."""
    left = [fault] * times
    return lambda server, answer: left.pop()(server, answer) if left else answer


def numbered(name: Callable[[int], float]) -> Fault:
    """Answer in OpenAI's form, each vector numbered as `name` makes it of its place."""

    def renumbered(server: OllamaStandIn, answer: Answer) -> Answer:
        rows = enumerate(server.rows_of(answer))
        return Answer(200, {"data": [{"index": name(n), "embedding": row} for n, row in rows]})

    return renumbered


def each_number(change: Callable[[float], object]) -> Fault:
    """Answer with every number of a vector replaced."""
    return alters(lambda rows: [[change(number) for number in row] for row in rows])


zeros = each_number(lambda _: 0.0)
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
PASSING: dict[str, Fault] = {
    "busy": fails(503, "server busy, please try again.  maximum pending requests exceeded"),
    "crashed": fails(400, 'Post "http://127.0.0.1:36715/tokenize": EOF'),
    "closed": closes,
    "cut": breaks_off,
    "no answer": hangs,
    "another's page": replies(200, PAGE),
    "zeros": zeros,
    "not a number": alters(lambda rows: [[float("nan"), *row[1:]] for row in rows]),
    "one too few": alters(lambda rows: rows[1:]),
    "too short": alters(lambda rows: [row[:32] for row in rows]),
    "lists in lists": replies(200, b"[" * 200_000 + b"]" * 200_000),
    "compressed": compressed,
    "without end": replies(200, b'{"embeddings": ' + b" " * 9_000_000 + b"[]}"),
    "a head bit by bit": goes_on(b"HTTP/1.1 200 OK\r\nX-", b"a"),
    "hints": goes_on(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "a body bit by bit": goes_on(CHUNKED, b"1\r\n \r\n"),
    "strings": each_number(str),
    "booleans": each_number(bool),
    "nulls": each_number(lambda _: None),
    "too large": each_number(lambda _: 1e39),
    "one number": alters(lambda rows: [row[:1] for row in rows]),
    "numbered by fractions": numbered(lambda place: place + 0.5),
    "numbered below zero": numbered(lambda place: -1 - place),
    "numbered by one number": numbered(lambda _: 2),
    "numbered without end": replies(200, b'{"data": [{"index": 1e999, "embedding": [1, 2]}]}'),
    "an object of objects": replies(200, {"data": {"0": {"embedding": [1, 2]}}}),
    "a text": replies(200, {"data": "none", "embeddings": "none"}),
    "a list of texts": replies(200, {"data": ["none"], "embeddings": ["none"]}),
    "null": replies(200, b"null"),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_stays_ends_the_run_with_what_to_do_and_one_that_passes_is_not_seen(
    name: str, standing: Served
) -> None:
    if name != "too short":  # vectors of another length alone are those of another model
        standing.server.on_text[""] = PASSING[name]
        ran = standing.ingest(name_posts(name))
        assert ran.status == 1
        assert re.search("[Tt]ry again", ran.err), ran.err
        standing.heal()
    standing.server.on_text["farms"] = once(PASSING[name])
    assert standing.ingest(name_posts(f"gone {name}", 6)).status == 0
    assert max(len(body["input"]) for body in standing.server.embedded) > 1
    standing.assert_whole()


def test_a_server_that_refuses_a_known_text_embeds_all_others(served: Served) -> None:
    served.server.on_text["0x1F"] = replies(403, PAGE)
    assert served.ingest({**MANY, **POSTS}).status == 0
    assert WORDS not in served.search()
    assert max(len(body["input"]) for body in served.server.embedded) == 32
    assert served.ingest({"tea.md": "# Tea\n\nBoil water."}).status == 0


def test_vectors_that_tell_no_texts_apart_are_refused(served: Served) -> None:
    narrow = alters(lambda rows: [row[:32] for row in rows])
    for faults in ([each_number(lambda _: 1.0)] * 9, [None, None, None, *[narrow] * 9]):
        served.server.faults = [*faults]
        ran = served.ingest()
        assert (ran.status, "Traceback" in ran.err) == (1, False)
        assert not served.blog.index.joinpath("CURRENT").exists()


BAD: dict[str, Fault] = {
    **{name: PASSING[name] for name in ("crashed", "zeros", "no answer")},
    "disliked": fails(400, "content policy"),
    "not valid": openai_standin.fails(422, "a text here is not valid"),
    "held up by a firewall": replies(403, PAGE),
    "an error in a good answer": openai_standin.fails(200, "cannot embed this"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_text_stops_no_other_and_is_found_by_its_words(name: str, served: Served) -> None:
    served.server.on_text["poison"] = BAD[name]
    ran = served.ingest({**FEW, **POSTS})
    assert ran.status == 0
    assert "keys.md" in ran.out + ran.err
    assert not any(name in ran.out + ran.err for name in FEW)
    assert "keys.md" in served.search("poison lock")
    served.heal()
    assert served.ingest({}, "--rebuild").status == 0
    served.assert_whole()


def ends(server: OllamaStandIn, answer: Answer) -> Answer | None:
    """Refuse this request and all others."""
    server.on_text = {"": replies(401, "no more")}
    return server.on_text[""](server, answer)


def test_a_run_that_the_server_ended_goes_on_where_it_was(served: Served) -> None:
    served.server.on_text = {"Walk 33": ends}
    assert served.ingest(MANY).status == 1
    served.server.on_text = {}
    assert served.ingest(MANY).status == 0
    assert sum("farms" in text for text in served.sent()) < len(MANY)
    served.assert_whole()


def wrong_in_batches(rows: list[list[float]]) -> list[list[float]]:
    """Good unit vectors in a batch, of other texts; alone each text has its own."""
    return [[-number for number in row] for row in rows] if len(rows) > 1 else rows


@pytest.mark.parametrize("change", [lambda rows: rows[::-1], wrong_in_batches])
def test_a_server_that_mixes_up_batches_is_sent_one_text_at_a_time(
    change: Callable[[list[list[float]]], list[list[float]]], served: Served
) -> None:
    served.server.on_text[""] = alters(change)
    assert served.ingest({**FEW, **POSTS}).status == 0
    served.server.on_text = {}
    served.assert_whole()


def test_what_is_too_much_for_a_request_goes_out_in_parts(served: Served) -> None:
    served.ingest({})
    served.server.models = [replace(served.server.models[0], context=60)]
    if isinstance(served.server, OpenAIStandIn):
        served.server.most_texts = 8
    long = "# Knitting\n\n" + " ".join(f"stitch {n} of the jumper" for n in range(60))
    assert served.ingest({**FEW, "long.md": long}).status == 0
    assert WORDS not in served.search("stitch of a jumper")


def at_most(most: int, refused: Fault) -> Fault:
    """Refuse a request of more texts."""
    return lambda server, answer: (
        refused(server, answer) if len(server.embedded[-1]["input"]) > most else answer
    )


@pytest.mark.parametrize(
    ("most", "status", "words"),
    [
        (1, 400, "one string at a time, please"),
        (3, 422, "inputs: ensure this value has at most 3 items"),
        (8, 400, "\u4e00\u6b21\u6700\u591a 8 \u689d"),
        (20, 403, ""),
        (5, 429, "Request too large for this model"),
    ],
)
def test_a_server_that_takes_fewer_texts_gets_as_many_as_it_took(
    most: int, status: int, words: str, served: Served
) -> None:
    served.server.on_text[""] = at_most(most, replies(status, words))
    assert served.ingest(MANY).status == 0
    sizes = [len(body["input"]) for body in served.server.embedded]
    assert sum(size > most for size in sizes) <= 6
    served.assert_whole()


def test_a_server_that_knows_no_encoding_is_not_told_one(tmp_path: Path) -> None:
    def refuses(server: OllamaStandIn, answer: Answer) -> Answer:
        is_told = "encoding_format" in server.embedded[-1]
        return Answer(400, {"error": "UnsupportedParamsError"}) if is_told else answer

    with serve(OpenAIStandIn(), tmp_path) as openai:
        openai.server.on_text[""] = refuses
        assert openai.ingest(MANY).status == 0
        openai.assert_whole()


NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("status", "said", "pause"),
    [
        (429, "22", 22),
        (429, "1.5", 1.5),
        (503, format_datetime(datetime.fromtimestamp(NOW + 31, UTC), True), 31),
        (503, "86400", 60),
        (503, "soon", 0),
        (429, "nan", 0),
        (429, "", 0),
    ],
)
def test_a_server_that_says_when_is_asked_again_then(
    status: int, said: str, pause: float, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(sleep=slept.append, monotonic=monotonic, time=lambda: NOW)
    monkeypatch.setattr(client, "time", clock)
    served.server.on_text["fleece"] = once(replies(status, "", **{"Retry-After": said}), 2)
    assert served.ingest().status == 0
    assert slept == pytest.approx([pause, pause])
    served.assert_whole()


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry | {"embedding": as_base64(entry["embedding"])},
        lambda entry: entry | {"index": str(entry["index"])},
        lambda entry: entry | {"index": entry["index"] + 1},
        lambda entry: {name: entry[name] for name in entry if entry["index"] or name != "index"},
        lambda entry: entry | {"embedding": [entry["embedding"]]},
        lambda entry: [entry],
        lambda entry: [entry["embedding"]],
    ],
)
@pytest.mark.parametrize("start", ["", "\ufeff" + "\r\n " * 9])
def test_an_answer_of_other_servers_form_is_read(
    change: Callable[[dict[str, Any]], Any], start: str, tmp_path: Path
) -> None:
    def changed(_server: OllamaStandIn, answer: Answer) -> Answer:
        data = [change(entry) for entry in answer.body["data"]]
        alone = [each for entry in data if isinstance(entry, list) for each in entry]
        body = alone or {"object": "list", "data": data, "error": None}
        return Answer(200, start + json.dumps(body), headers={"Content-Encoding": "Identity"})

    with serve(OpenAIStandIn(), tmp_path) as openai:
        openai.server.on_text[""] = changed
        assert openai.ingest({**FEW, **POSTS}).status == 0
        openai.assert_whole()


def as_base64(row: list[float]) -> str:
    return base64.b64encode(np.array(row, "<f4").tobytes()).decode()


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "the input length exceeds the context length", "TOO_LONG"),
        (413, "`inputs` must have less than 512 tokens", "TOO_LONG"),
        (500, "input is too large to process. increase the physical batch size", "TOO_LONG"),
        (400, 'do embedding request: Post "http://127.0.0.1:1/v1/embeddings": EOF', "FAILED"),
        (500, "model requires more system memory (9 GiB) than is available (2 GiB)", "FAILED"),
        (500, "this model does not support embeddings", "NOT_EMBEDDING"),
        (500, "invalid file magic", "MISSING"),
        (500, "timed out waiting for llama-server to start", "SLOW"),
        (501, "not supported", "NOT_EMBEDDING"),
        (404, 'model "m" not found, try pulling it first', "MISSING"),
        (404, "No Model is loaded", "MISSING"),
        (404, "404 page not found", "REFUSED"),
        (404, "The API does not exist. DeploymentNotFound", "MISSING"),
        (400, "input: expected a string", "REFUSED"),
        (429, "You exceeded your quota. insufficient_quota", "REFUSED"),
        (429, "Rate limit reached", "BUSY"),
        (504, "", "BUSY"),
        (307, "", "REFUSED"),
        (401, "unauthorized", "REFUSED"),
    ],
)
def test_what_servers_of_all_years_say_is_sorted(status: int, text: str, kind: str) -> None:
    assert classify_reply(status, text).name == kind


def pull_another(served: Served) -> None:
    served.server.models = [replace(served.server.models[0], digest="f" * 64)]
    served.server.reads_capitals = False


def misread(served: Served) -> None:
    served.server.version, served.server.reads_capitals = "0.33.1", False


def shorten_the_vectors(served: Served) -> None:
    served.server.models = [replace(served.server.models[0], dimension=32, digest="f" * 64)]


@pytest.mark.parametrize("change", [pull_another, misread, shorten_the_vectors])
def test_a_model_changed_under_the_index_is_refused_with_the_command_that_mends_it(
    change: Callable[[Served], None], served: Served
) -> None:
    served.ingest()
    change(served)
    refused = served.ingest({"tea.md": "# Tea\n\nBoil water."})
    assert refused.status == 1
    assert "--rebuild" in refused.err
    assert WORDS in served.search()
    assert served.ingest({}, "--rebuild").status == 0
    assert WORDS not in served.search()


def swaps(server: OllamaStandIn, answer: Answer) -> Answer:
    """Have another model under the same name from now on."""
    server.models = [replace(server.models[0], digest="f" * 64)]
    server.reads_capitals = False
    return answer


@pytest.mark.parametrize(
    "change", [swaps, becomes(version="0.33.1", reads_capitals=False), becomes(models=[])]
)
def test_a_model_changed_in_mid_run_ends_it_with_words_and_no_mixed_index_is_left(
    change: Fault, served: Served
) -> None:
    served.server.on_text["Walk 9"] = change
    ran = served.ingest(MANY)
    assert (ran.status, "--embedder embedded" in ran.err) == (1, True)
    assert "09.md" in served.search("walk past 9 farms")
    served.server.version = "0.32.15"
    served.heal()
    assert served.ingest(MANY).status == 0
    served.assert_whole()


def test_a_model_changed_under_a_running_server_is_told_with_the_next_answer(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "LEAST_WAIT", 5.0)
    monkeypatch.setattr(serving, "RETRY_PAUSE", 0.0)
    assert served.ingest().status == 0
    with open_index(served.blog.index, embedder_url=served.options[-1]) as index:
        until(lambda: WORDS not in (index.search(QUESTION).notice or ""))
        pull_another(served)
        assert "--rebuild" in (index.search("a brass key").notice or "")
        served.heal()
        until(lambda: WORDS not in (index.search("a brass lock").notice or ""))


def test_an_update_that_changes_no_vector_costs_no_embedding(ollama: Served) -> None:
    ollama.ingest()
    ollama.server.version = "0.33.1"
    assert ollama.ingest(POSTS, "--rebuild").status == 0
    assert not any("fleece" in text for text in ollama.sent())
    ollama.server.version, ollama.server.reads_capitals = "0.34.0", False
    assert ollama.ingest(POSTS, "--rebuild").status == 0
    assert any("fleece" in text for text in ollama.sent())


REFUSED: dict[str, tuple[Callable[[Served], None], str]] = {
    "no model": (lambda served: setattr(served.server, "models", []), "not have the model"),
    "no access": (lambda s: s.server.on_text.update({"": fails(401, "no")}), "--embedder-url"),
    "another's route": (lambda s: s.server.on_text.update({"": replies(404, "404")}), "Check"),
    "a chat model": (
        lambda s: s.server.on_text.update({"": fails(501, "no")}),
        "gives no embeddings: no",
    ),
    "a code": (
        lambda s: s.server.on_text.update({"": replies(404, {"error": {"code": "model_gone"}})}),
        "not have the model",
    ),
    "a page": (
        lambda s: s.server.on_text.update({"": replies(403, "<p>Sign <b>in</b>")}),
        "request: Sign in (status 403)",
    ),
    "an object": (lambda s: s.server.on_text.update({"": replies(200, {"a": 1})}), 'b\'{"a": 1}'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_server_that_refuses_is_told_with_what_to_do(name: str, standing: Served) -> None:
    change, said = REFUSED[name]
    change(standing)
    assert WORDS in (answer := standing.search())
    assert "wool.md" in answer
    ran = standing.ingest(name_posts(name))
    assert (ran.status, said in ran.err) == (1, True), ran.err
    standing.heal()
    assert WORDS not in standing.search()


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_search_is_answered_by_words_at_least_and_the_next_one_whole(
    fault: Fault, standing: Served
) -> None:
    standing.server.on_text["fleece"] = fault
    assert WORDS in (answer := standing.search())
    assert "wool.md" in answer
    standing.heal()
    assert WORDS not in standing.search()


@pytest.mark.parametrize("status", [302, 308])
def test_no_text_and_no_key_goes_where_a_redirect_points(
    status: int, standing: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDER_API_KEY", "secret")
    with running(type(standing.server)()) as elsewhere:
        for path in ("/api/tags", "/api/version"):
            location = f"http://{elsewhere.host}{path}"
            standing.server.elsewhere[path] = replies(status, "", Location=location)
        location = f"http://{elsewhere.host}{standing.server.route}"
        standing.server.on_text[""] = replies(status, "", Location=location)
        ran = standing.ingest(name_posts(f"place {status}"))
        assert (ran.status, f"redirected to http://{elsewhere.host}" in ran.err) == (1, True)
        assert WORDS in standing.search()
        assert elsewhere.requests == []


SAID = "no\x1b[31m\u202eentry\r\nkestrel " * 99


@pytest.mark.parametrize(
    "fault", [fails(403, SAID), openai_standin.fails(500, SAID), replies(418, SAID)]
)
def test_what_a_server_says_is_printed_without_controls_and_keys(
    fault: Fault, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("EMBEDDER_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(name, "kestrel")
    served.server.on_text[""] = fault
    printed = served.ingest().err.replace("\n", "")
    assert "entry" in printed
    assert "kestrel" not in printed
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e]", printed)


def test_the_key_of_the_environment_is_sent_and_a_wrong_one_named_but_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(OpenAIStandIn(), tmp_path) as openai:
        assert isinstance(openai.server, OpenAIStandIn)
        openai.server.key = "kestrel"
        monkeypatch.setenv("EMBEDDER_API_KEY", "buzzard")
        refused = openai.ingest()
        assert "EMBEDDER_API_KEY" in refused.err
        assert "buzzard" not in refused.err
        monkeypatch.setenv("EMBEDDER_API_KEY", "kestrel")
        assert openai.ingest().status == 0
        shown = command("install", "cursor", "--print", "--index", str(openai.blog.index)).out
        assert '"EMBEDDER_API_KEY": "kestrel"' in shown


def test_ollamas_key_does_not_go_out_unencrypted(
    ollama: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "kestrel")
    assert ollama.ingest().status == 0
    assert not any("kestrel" in str(each.headers) for each in ollama.server.requests)
