"""A blog whose embedder lies behind `/v1/embeddings`, from the command line to the answer."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.openai_standin import BGE, OpenAIStandIn, running
from tests.support.python import run_python

POSTS = {
    "wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.\n",
    "keys.md": "# Keys\n\nA key of brass is cut by hand and filed until the lock turns.\n",
    "bread.md": "# Bread\n\nDough of rye flour rests for a night before it is baked.\n",
}

pytestmark = pytest.mark.slow


@pytest.fixture
def server() -> Iterator[OpenAIStandIn]:
    with running(OpenAIStandIn(key="secret")) as standin:
        yield standin


@pytest.fixture
def content(tmp_path: Path) -> Path:
    for name, text in POSTS.items():
        (tmp_path / "posts").mkdir(exist_ok=True)
        (tmp_path / "posts" / name).write_text(text, encoding="utf-8")
    return tmp_path / "posts"


def run(*arguments: object, key: str = "secret") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"EMBEDDER_API_KEY": key}
    return run_python("-m", "blog_search_mcp", *arguments, env=environment)


def test_a_blog_is_ingested_searched_and_looked_at(server: OpenAIStandIn, content: Path) -> None:
    index = content.parent / "index"
    model = ("--embedder", "openai", "--model", BGE.name, "--embedder-url", server.url)
    made = run("ingest", content, "--index", index, *model)
    assert made.returncode == 0, made.stderr
    assert f"the embedding server's {BGE.name}, as asked" in made.stderr
    options = ("--index", index, "--embedder-url", server.url)
    found = run("search", "how is a fleece washed", *options)
    assert "wool.md" in found.stdout
    assert "Keyword matches only" not in found.stdout + found.stderr
    sound = run("doctor", *options)
    assert re.search(rf"ok +embedder .*{BGE.name}", sound.stdout)
    assert "secret" not in made.stderr + found.stdout + found.stderr + sound.stdout

    wrong = run("search", "how is a fleece washed", *options, key="wrong")
    assert "wool.md" in wrong.stdout
    assert "Keyword matches only" in wrong.stdout
    assert "EMBEDDER_API_KEY" in wrong.stdout
    without = run("search", "how is a fleece washed", "--index", index)
    assert "wool.md" in without.stdout
    assert "Keyword matches only" in without.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "The openai embedder has no default model: add --model NAME."),
        (("--model", "m"), "The openai embedder needs its server's address"),
        (("--model", "m", "--embedder-url", "ftp://x"), "needs its server's address"),
    ],
)
def test_what_is_missing_is_said(
    content: Path, options: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OLLAMA_HOST", "EMBEDDER_URL"):
        monkeypatch.delenv(name, raising=False)
    index = content.parent / "index"
    refused = run("ingest", content, "--index", index, "--embedder", "openai", *options)
    assert refused.returncode in (1, 2)
    assert sentence in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (index / "CURRENT").exists()
