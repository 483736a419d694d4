"""A run over posts that have not changed, or hardly: how little it does, and what it notices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.ingest.cli import read_settings, run
from tests.support.blog import MakeBlog, rows_file
from tests.support.ollama_standin import Model, OllamaStandIn, hangs, running
from tests.support.python import output_of

HEAVY = {"faiss", "tantivy", "numpy", "onnxruntime", "tokenizers", "markdown_it", "yaml"}
INGEST_AND_TELL = f"""
import sys
from blog_search_mcp.ingest.cli import run
from blog_search_mcp.ingest.cli import read_settings
status = run(read_settings(sys.argv[1:], {{}}), sys.stdout, sys.stderr)
print(status, {HEAVY} & set(sys.modules))
"""


def settled(path: Path) -> None:
    """Let a file lie as if it had been written a minute ago."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 60_000_000_000))


def write_soup(folder: Path) -> Path:
    """Write a content folder of one settled post; return it."""
    post = folder / "content" / "a.md"
    post.parent.mkdir()
    post.write_text("# Soup\n\nA leek.\n", encoding="utf-8")
    settled(post)
    return post.parent


def test_it_imports_nothing_heavy(tmp_path: Path) -> None:
    asked = (write_soup(tmp_path), "--index", tmp_path / "index", "--embedder", "embedded")
    last = [output_of(INGEST_AND_TELL, *asked).splitlines()[-1] for _ in range(2)]
    assert last[0] != "0 set()"
    assert last[1] == "0 set()"


@pytest.mark.parametrize("name", ["vectors/000001.npy", "texts.db", "chunks.db"])
def test_it_refuses_an_index_whose_file_was_written_to_since(blog: MakeBlog, name: str) -> None:
    made = blog({"a.md": "One onion.\n"})
    path = made.files.folder / name
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(IndexBroken, match=f"The index's {name} is damaged"):
        made.ingest()


def test_it_refuses_an_index_whose_file_is_shorter_whatever_its_time(blog: MakeBlog) -> None:
    made = blog({"a.md": "One onion.\n"})
    path = rows_file(made.files)
    path.write_bytes(path.read_bytes()[:-1])
    settled(path)
    with pytest.raises(IndexBroken, match="is damaged"):
        made.ingest()


@pytest.mark.parametrize("name", ["vectors/000001.npy", "chunks.db", "vectors/directory.npz"])
def test_what_a_disk_changed_is_not_taken_into_the_next_generation(
    blog: MakeBlog, name: str
) -> None:
    made = blog({"a.md": "One onion.\n", "b.md": "Two leeks.\n"})
    for each in made.manifest.files:
        settled(made.files.folder / each)
    path = made.files.folder / name
    status, whole = path.stat(), path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    made.write({"b.md": "Three leeks.\n"})
    with pytest.raises(IndexBroken, match=f"The index's {name} is damaged"):
        made.ingest()
    assert made.manifest.generation == 1
    assert [folder.name for folder in made.layout.generations.iterdir()] == ["000001"]


def test_it_refuses_an_index_that_lacks_a_file(blog: MakeBlog) -> None:
    made = blog({"a.md": "One onion.\n"})
    rows_file(made.files).unlink()
    with pytest.raises(IndexBroken, match="cannot be read"):
        made.ingest()


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running() as standin:
        yield standin


def ingest_with(ollama: OllamaStandIn, folder: Path, *more: str) -> tuple[int, list[str]]:
    """Run an ingest; return its status and what it says before its numbers."""
    arguments = [str(folder / "content"), "--index", str(folder / "index"), *more]
    said = StringIO()
    settings = read_settings([*arguments, "--embedder-url", ollama.host], {})
    status = run(settings, StringIO(), said)
    return status, said.getvalue().splitlines()[:-1]


def test_a_model_that_ollama_lost_is_said_though_nothing_is_to_be_embedded(
    ollama: OllamaStandIn, tmp_path: Path
) -> None:
    write_soup(tmp_path)
    assert ingest_with(ollama, tmp_path, "--embedder", "ollama")[0] == 0
    assert ingest_with(ollama, tmp_path) == (0, [])
    ollama.models = [Model(digest="f" * 64)]
    [warning] = ingest_with(ollama, tmp_path)[1]
    rebuild = f"{tmp_path / 'content'} --index {tmp_path / 'index'} --rebuild --embedder ollama`"
    assert warning.startswith("The index was built with other weights of Ollama's nomic-embed-text")
    assert rebuild in warning
    ollama.models = []
    status, [warning] = ingest_with(ollama, tmp_path)
    assert status == 0
    assert warning.endswith(
        "does not have the model nomic-embed-text. Run `ollama pull nomic-embed-text`. "
        "Until then search is by words alone."
    )


def test_an_ollama_that_never_answers_is_waited_for_a_second_and_not_named(
    ollama: OllamaStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_soup(tmp_path)
    assert ingest_with(ollama, tmp_path, "--embedder", "ollama")[0] == 0
    waited: list[float] = []

    def wait_for(_asked: object, seconds: float) -> bool:
        waited.append(seconds)
        return False

    monkeypatch.setattr("blog_search_mcp.index.embedders.registry.wait_for", wait_for)
    ollama.elsewhere = {"/api/tags": hangs}
    assert ingest_with(ollama, tmp_path) == (0, [])
    assert waited == [1.0]
