"""What an embedding server answers is printed as plain words, and believed if it may be vectors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import ollama_standin, openai_standin
from tests.support.front import Blog, Ran
from tests.support.ollama.faults import Fault, alters, fails, replies
from tests.support.ollama.model import Model
from tests.support.ollama_standin import OllamaStandIn
from tests.support.openai_standin import BGE, Data, alters_data, refuse

KEY = "kestrel-7f3a"
SAID = f"no entry \x1b]0;mine\x07\x1b[2J \x9b31m \u202e for {KEY}\x00 here"
POSTS = {
    "hide.md": "# The hide\n\nFrom the hide by the pond one sees the kestrel at noon.",
    "path.md": "# The path\n\nThe path round the pond is closed until the reeds are cut.",
}


def ingest(folder: Path, *options: str) -> Ran:
    blog = Blog(folder / "content", folder / "index")
    blog.write(POSTS)
    return blog.ingest(*options)


def ingest_by_openai(folder: Path, fault: Fault) -> Ran:
    server = openai_standin.OpenAIStandIn(on_text={"": fault})
    with openai_standin.running(server):
        named = ("--embedder-url", server.url, "--model", BGE.name)
        return ingest(folder, "--embedder", "openai", *named)


def ingest_by_ollama(folder: Path, server: OllamaStandIn) -> Ran:
    with ollama_standin.running(server):
        url = f"http://{server.host}"
        named = ("--embedder-url", url, "--model", server.models[0].name)
        return ingest(folder, "--embedder", "ollama", *named)


def assert_plain(ran: Ran) -> None:
    printed = (ran.out + ran.err).replace("\n", "").replace("\r", "")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e]", printed)
    assert KEY not in printed


@pytest.mark.parametrize(
    "fault",
    [
        lambda _server, _answer: refuse(401, SAID),
        replies(403, SAID),
        replies(400, {"error": SAID * 1000}),
        replies(418, f"{KEY} " * 9),
    ],
)
def test_what_a_server_refuses_with_is_printed_without_controls_and_key(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDER_API_KEY", KEY)
    ran = ingest_by_openai(tmp_path, fault)
    assert ran.status == 1
    assert_plain(ran)


@pytest.mark.parametrize(
    "server",
    [
        OllamaStandIn(on_text={"": fails(400, SAID)}),
        OllamaStandIn(version=f"0.14.0 {SAID}"),
        OllamaStandIn(elsewhere={"/api/show": fails(400, SAID)}),
    ],
)
def test_what_an_ollama_says_is_printed_without_controls_and_key(
    server: OllamaStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    ran = ingest_by_ollama(tmp_path, server)
    assert "no entry" in ran.out + ran.err
    assert_plain(ran)


CONSTANT = {
    "one vector for all texts": [0.1, 0.7, 0.1, 0.7],
    "one number in all places": [0.5] * 4,
    "one number alone": [1.0],
}


@pytest.mark.parametrize("row", CONSTANT.values(), ids=CONSTANT)
def test_constant_vectors_are_refused(row: list[float], tmp_path: Path) -> None:
    def change(data: Data) -> Data:
        return [{**entry, "embedding": row} for entry in data]

    server = OllamaStandIn(
        models=[replace(Model(), dimension=len(row))],
        on_text={"": alters(lambda rows: [row for _ in rows])},
    )
    assert ingest_by_ollama(tmp_path / "ollama", server).status == 1
    assert ingest_by_openai(tmp_path / "openai", alters_data(change)).status == 1
