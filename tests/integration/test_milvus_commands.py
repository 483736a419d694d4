"""Every command with an index on a Milvus server, as its user meets it: no folder, no trace."""

from __future__ import annotations

import os
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp import Client

from tests.support.front import Ran, command
from tests.support.milvus_standin import standing_in
from tests.support.ports import free_port
from tests.support.served import POSTS, SOUP, serving, write

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

TOKEN = "root:very-secret"


@pytest.fixture
def index(milvus: Milvus) -> str:
    """The address of an index that is not there yet."""
    return f"{milvus.address.replace('http:', 'milvus:')}/my_blog"


def run(folder: Path, *arguments: str, **environment: str) -> Ran:
    """Run a command in `folder`."""
    with chdir(folder):
        return command(*arguments, env={"XDG_CACHE_HOME": f"{folder}-copies"} | environment)


def test_a_blog_is_ingested_edited_asked_and_examined_by_its_address(
    index: str, tmp_path: Path
) -> None:
    content = write(tmp_path / "content", POSTS)
    first = run(tmp_path, "ingest", "content", "--index", index, "--embedder", "embedded")
    assert first.status == 0, first.err
    assert "2 added" in first.err + first.out
    again = run(tmp_path, "ingest", "content", "--index", index)
    assert "nothing changed" in again.err + again.out
    (content / "soup.md").write_text(SOUP + "\nStir it with a walrus.\n", encoding="utf-8")
    edited = run(tmp_path, "ingest", "content", "--index", index)
    assert "1 changed" in edited.err + edited.out
    asked = run(tmp_path, "ask", "--index", index, "walrus soup")
    assert asked.status == 0, asked.err
    assert "Onion soup" in asked.out
    examined = run(tmp_path, "doctor", "--index", index)
    assert index in examined.out, examined.out + examined.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["content"]


def test_a_server_serves_it_and_sees_what_another_machine_ingests(
    index: str, tmp_path: Path
) -> None:
    content = write(tmp_path / "content", POSTS)
    run(tmp_path, "ingest", "content", "--index", index, "--embedder", "embedded")
    with serving(index, environment=dict(os.environ)) as (endpoint, _):
        assert "Onion soup" in _search(endpoint, "soup")
        (content / "stew.md").write_text("# Walrus stew\n\nBoil a walrus.\n", encoding="utf-8")
        run(tmp_path, "ingest", "content", "--index", index)
        assert "Walrus stew" in _search(endpoint, "walrus")


def _search(endpoint: str, query: str) -> str:
    async def ask() -> str:
        async with Client(endpoint) as client:
            return str(await client.call_tool("search_blog", {"query": query}))

    return anyio.run(ask)


@pytest.mark.parametrize("words", [("ingest", "content"), ("ask", "soup")])
def test_a_server_that_is_gone_or_refuses_the_token_is_one_sentence_without_it(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path / "content", POSTS)
    with standing_in(token="root:right") as address:
        places = {
            f"{address.replace('http:', 'milvus:')}/my_blog": "refuses the token in MILVUS_TOKEN",
            f"milvus://127.0.0.1:{free_port()}/my_blog": "does not answer",
        }
        for place, said in places.items():
            ran = run(tmp_path, *words, "--index", place, MILVUS_TOKEN=TOKEN)
            assert ran.status == 1, ran.out + ran.err
            assert said in ran.err
            assert "Traceback" not in ran.err
            assert "very-secret" not in ran.out + ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["content"]
