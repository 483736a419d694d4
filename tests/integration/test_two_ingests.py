"""Two ingests of one index at once, as processes: one goes through, the other says why not."""

import subprocess
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import IndexProblem
from tests.support.blog import Blog, MakeBlog
from tests.support.python import start_python

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number {n}.\n" for n in range(20)}

INGEST = """
import sys
from pathlib import Path
from blog_search_mcp.index.errors import IndexProblem
from tests.support.blog import Blog
from tests.support.fakes import FakeEmbedder

class Waiting(FakeEmbedder):
    def embed_documents(self, texts):
        print("embedding", flush=True)
        sys.stdin.readline()
        return super().embed_documents(texts)

blog = Blog(Path(sys.argv[1]), Path(sys.argv[2]), Waiting())
try:
    print("generation", blog.ingest().generation)
except IndexProblem as error:
    print("busy")
"""


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n" * 9)
    process.stdin.flush()


def test_an_ingest_that_meets_another_is_told_to_wait_and_then_goes_through(blog: MakeBlog) -> None:
    made = blog({"soup.md": "# Soup\n\nBoil an onion.\n"})
    made.write(POSTS)
    with start_python("-c", INGEST, made.content, made.index) as first:
        assert line(first) == "embedding"
        with pytest.raises(IndexProblem):
            made.ingest()
        assert made.reader().manifest.generation == 1
        go(first)
        assert line(first) == "generation 2"
    assert made.ingest().generation == 2
    assert made.reader().manifest.chunks == 21


def test_two_ingests_at_one_instant_make_one_whole_index_where_none_was(tmp_path: Path) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write(POSTS)
    ingest = ("-c", INGEST, made.content, made.index)
    with start_python(*ingest) as first, start_python(*ingest) as second:
        go(first)
        go(second)
        said = {line(process) for process in (first, second) for _ in range(2)}
    assert "generation 1" in said
    assert made.ingest().added == 0
    assert made.reader().manifest.chunks == 20
