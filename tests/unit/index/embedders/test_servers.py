"""Ingests by an embedding server: what it is asked, what is said of it, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from blog_search_mcp.index.embedders.client import FOR_DOCUMENTS, RetryPolicy
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from tests.support import ollama_standin, openai_standin
from tests.support.front import Blog, Ran
from tests.support.ollama.faults import Fault, crashes, fails, yields_nan
from tests.support.ollama.model import Model
from tests.support.ollama_standin import OllamaStandIn
from tests.support.openai_standin import BGE, OpenAIStandIn, alters_data

POSTS = {
    "wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.",
    "keys.md": "# Keys\n\nA key of brass is cut by hand and filed until the poison lock turns.",
}
MANY = {f"{number:02}.md": f"# Walk {number}\n\nPast {number} farms." for number in range(40)}


@dataclass(frozen=True)
class Served:
    """A blog, and the server that embeds it."""

    blog: Blog
    server: OllamaStandIn
    options: tuple[str, ...]

    def ingest(self, posts: Mapping[str, str] = POSTS, *options: str) -> Ran:
        """Write posts and ingest them by the server."""
        self.blog.write(posts)
        self.server.requests.clear()
        return self.blog.ingest(*self.options, *options)

    def sent(self) -> list[str]:
        """The texts of the last ingest, in the order they were asked for."""
        return [text for body in self.server.embedded for text in body["input"]]


@contextmanager
def serve(kind: str, folder: Path) -> Iterator[Served]:
    blog = Blog(folder / "content", folder / "index")
    if kind == "ollama":
        with ollama_standin.running() as server:
            named = ("--model", "nomic-embed-text", "--embedder-url", server.host)
            yield Served(blog, server, ("--embedder", kind, *named))
    else:
        with openai_standin.running() as standin:
            named = ("--model", BGE.name, "--embedder-url", standin.url)
            yield Served(blog, standin, ("--embedder", kind, *named))


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = {kind: (0.0,) * len(all_) for kind, all_ in FOR_DOCUMENTS.pauses.items()}
    monkeypatch.setattr(RemoteEmbedder, "for_documents", RetryPolicy(20.0, pauses))


@pytest.fixture(params=["ollama", "openai"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with serve(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def ollama(tmp_path: Path) -> Iterator[Served]:
    with serve("ollama", tmp_path) as made:
        yield made


def search(served: Served, query: str) -> str:
    """What a search prints; without a notice it went by meaning too."""
    return served.blog.command("search", query, "--embedder-url", served.options[-1]).out


def test_each_text_goes_out_after_the_prefix_of_its_role_and_is_never_cut(ollama: Served) -> None:
    assert ollama.ingest().status == 0
    documents = ollama.sent()
    assert all(text.startswith(("search_document: ", "search_query: ")) for text in documents)
    assert any(text.startswith("search_document: Wool") for text in documents)
    assert {(body["truncate"], body["keep_alive"]) for body in ollama.server.embedded} == {
        (False, "30m")
    }
    ollama.server.requests.clear()
    assert "Keyword matches only" not in search(ollama, "how is a fleece washed")
    assert "search_query: how is a fleece washed" in ollama.sent()


@pytest.mark.parametrize(
    ("model", "passage"),
    [
        ("bge-m3", "Wool"),
        ("embeddinggemma", "title: none | text: Wool"),
        ("jeffh/intfloat-multilingual-e5-large:q8_0", "passage: Wool"),
    ],
)
def test_another_model_has_the_prefix_of_its_own_card(
    model: str, passage: str, ollama: Served
) -> None:
    name = model if ":" in model else f"{model}:latest"
    ollama.server.models = [Model(name, architecture="gemma3", tokenizer="llama")]
    assert ollama.ingest(POSTS, "--model", model).status == 0
    assert any(text.startswith(passage) for text in ollama.sent())


def test_prefixes_that_are_named_are_kept_for_later_runs(ollama: Served) -> None:
    ollama.ingest(POSTS, "--document-prefix", "d: ", "--query-prefix", "q: ")
    ollama.ingest({"tea.md": "# Tea\n\nBoil water."})
    assert any(text.startswith("d: Tea") for text in ollama.sent())


def test_many_texts_go_out_in_batches(served: Served) -> None:
    assert served.ingest(MANY).status == 0
    assert max(len(body["input"]) for body in served.server.embedded) == 32


def test_what_a_run_paid_for_is_not_embedded_again(served: Served) -> None:
    served.ingest()
    again = served.ingest(POSTS, "--rebuild")
    assert again.status == 0
    assert not any("fleece" in text for text in served.sent())


def test_embeddings_outlive_an_update_that_changes_no_vector_and_no_other(ollama: Served) -> None:
    ollama.ingest()
    ollama.server.version = "0.33.1"
    assert ollama.ingest(POSTS, "--rebuild").status == 0
    assert not any("fleece" in text for text in ollama.sent())
    ollama.server.version, ollama.server.reads_capitals = "0.34.0", False
    assert ollama.ingest(POSTS, "--rebuild").status == 0
    assert any("fleece" in text for text in ollama.sent())


def turn(row: list[float]) -> list[float]:
    """A vector of another space."""
    return row[1:] + row[:1]


def test_a_model_changed_under_the_index_is_refused_with_the_command_that_mends_it(
    served: Served,
) -> None:
    served.ingest()
    if isinstance(served.server, OpenAIStandIn):
        served.server.on_text[""] = alters_data(
            lambda data: [each | {"embedding": turn(each["embedding"])} for each in data]
        )
    else:
        served.server.models = [replace(served.server.models[0], digest="f" * 64)]
    refused = served.ingest({"tea.md": "# Tea\n\nBoil water."})
    assert refused.status == 1
    assert "--rebuild" in refused.err
    assert "Keyword matches only" in search(served, "how is a fleece washed")
    assert served.ingest({}, "--rebuild").status == 0


def test_the_rounding_of_another_machine_is_no_other_model(tmp_path: Path) -> None:
    def round_off(row: list[float]) -> list[float]:
        return [number + 1e-4 * (-1) ** place for place, number in enumerate(row)]

    with serve("openai", tmp_path) as served:
        served.ingest()
        served.server.on_text[""] = alters_data(
            lambda data: [each | {"embedding": round_off(each["embedding"])} for each in data]
        )
        assert served.ingest({"tea.md": "# Tea\n\nBoil water."}).status == 0


@pytest.mark.parametrize("fault", [crashes, yields_nan])
def test_one_bad_text_stops_no_other_and_is_found_by_its_words(
    fault: Fault, ollama: Served
) -> None:
    ollama.server.on_text = {"poison": fault}
    ran = ollama.ingest({**MANY, **POSTS})
    assert ran.status == 0
    assert "keys.md" in ran.out + ran.err
    assert "keys.md" in search(ollama, "poison lock")
    assert not any(f"{number:02}.md" in ran.out + ran.err for number in range(40))


def test_a_text_without_a_vector_is_tried_again_by_a_rebuild_alone(ollama: Served) -> None:
    ollama.server.on_text = {"poison": yields_nan}
    ollama.ingest()
    ollama.ingest()
    assert ollama.sent() == []
    ollama.server.on_text = {}
    assert "keys.md" not in ollama.ingest(POSTS, "--rebuild").out
    assert any("poison" in text for text in ollama.sent())
    ollama.ingest()
    assert ollama.sent() == []


def test_a_run_that_the_server_ended_goes_on_where_it_was(served: Served) -> None:
    served.server.on_text = {"Walk 39": fails(401, "no more")}
    assert served.ingest(MANY).status == 1
    served.server.on_text = {}
    assert served.ingest(MANY).status == 0
    assert sum("farms" in text for text in served.sent()) < len(MANY)


def test_the_key_of_the_environment_is_sent_and_a_wrong_one_named_but_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve("openai", tmp_path) as served:
        assert isinstance(served.server, OpenAIStandIn)
        served.server.key = "kestrel"
        monkeypatch.setenv("EMBEDDER_API_KEY", "buzzard")
        refused = served.ingest()
        assert "EMBEDDER_API_KEY" in refused.err
        assert "buzzard" not in refused.err
        monkeypatch.setenv("EMBEDDER_API_KEY", "kestrel")
        assert served.ingest().status == 0


def test_ollamas_key_does_not_go_out_unencrypted(
    ollama: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "kestrel")
    assert ollama.ingest().status == 0
    assert not any("kestrel" in str(each.headers) for each in ollama.server.requests)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "--embedder-url"),
        ("ftp://gpu/v1", "--embedder-url"),
        ("http://user:word@gpu/v1", "--embedder-url"),
        ("http://gpu:0x/v1", "--embedder-url"),
        ("http://one/v1,http://two/v1", "--embedder-url"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_and_no_password_repeated(
    url: str, said: str, tmp_path: Path
) -> None:
    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.write(POSTS)
    options = ("--embedder", "openai", "--model", "m", "--embedder-url", url)
    ran = blog.ingest(*options)
    assert ran.status != 0
    assert said in ran.err
    assert ":word@" not in ran.err
