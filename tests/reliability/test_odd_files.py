"""A content folder of oddities: each is indexed and read back by its name, or named with why not.

Never a traceback, never a file outside the folder, never a wait for a pipe.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp.types import TextContent

from blog_search_mcp.index.errors import ContentError, UnreadablePost, UsageError
from blog_search_mcp.index.posts.last_ingest import read_last_ingest
from blog_search_mcp.index.posts.walk import ATTEMPTS, MAX_BYTES, SUFFIXES, Skipped, read_file, walk
from blog_search_mcp.ingest.report import as_json, as_lines
from blog_search_mcp.server.protocol.app import build_server
from tests.reliability.odd_files import BETWEEN, CLOSED, NAMES, POST, REFUSED, write_names
from tests.support.blog import Blog

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.blog import MakeBlog

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse or fold such names"),
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A post that is none of the blog's business."""
    path = tmp_path / "outside" / "secret.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("The password is swordfish.\n", encoding="utf-8")
    return path


@pytest.fixture
def made(tmp_path: Path) -> Blog:
    made = Blog(tmp_path / "outside" / "content", tmp_path / "index")
    made.content.mkdir(parents=True, exist_ok=True)
    return made


async def test_every_odd_name_is_indexed_found_and_read_back(made: Blog) -> None:
    written = write_names(made.content)
    assert sorted(written) == sorted(NAMES.values())
    report = made.ingest()
    assert (report.posts, report.skipped, report.warnings) == (len(NAMES), (), ())
    assert list(made.manifest.posts) == sorted(written)
    async with Client(build_server(made.engine())) as client:
        for source in written:
            arguments: dict[str, Any] = {"source": source, "chunk_index": 0}
            result = await client.call_tool("read_chunk", arguments)
            block = result.content[0]
            assert isinstance(block, TextContent)
            assert (result.is_error, block.text) == (False, POST.strip())
        found = await client.call_tool("search_blog", {"query": "zebrafinch", "top_k": 20})
        assert found.structured_content is not None
        sources = [hit["source"] for hit in found.structured_content["results"]]
        assert len(sources) == 20
        assert set(sources) <= set(written)
        text = found.content[0]
        assert isinstance(text, TextContent)
        assert json.loads(text.text) == found.structured_content


def test_a_second_ingest_of_odd_names_changes_nothing(made: Blog) -> None:
    for source in write_names(made.content):
        os.utime(made.content / source, (1e9, 1e9))
    made.ingest()
    again = made.ingest()
    assert (again.generation, again.added, again.changed, again.removed) == (1, 0, 0, 0)


@pytest.mark.parametrize("name", [*REFUSED, *CLOSED])
def test_what_is_no_post_is_named_with_its_reason_and_nothing_of_it_is_read(
    name: str, made: Blog, outside: Path
) -> None:
    if name in CLOSED and os.geteuid() == 0:
        pytest.skip("the superuser may read everything")
    oddity = {**REFUSED, **CLOSED}[name]
    made.write({"plain.md": POST})
    oddity.make(made.content / oddity.source, outside)
    report = made.ingest()
    reported = oddity.reported or oddity.source
    assert report.skipped == ((Skipped(reported, oddity.reason),) if oddity.reason else ())
    assert report.posts == 1
    assert made.embedder.documents == ["Odd\nA post about the zebrafinch."]
    for path in made.index.rglob("*"):
        assert not (path.is_file() and b"swordfish" in path.read_bytes())
    if name in CLOSED:
        (made.content / oddity.source).chmod(0o700)


def test_a_post_of_blank_lines_as_large_as_may_be_costs_no_memory_and_is_named(
    tmp_path: Path,
) -> None:
    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.write({"soup.md": POST, "blank.md": "# Blank\n" + "\n" * (MAX_BYTES - 8)})
    tracemalloc.start()
    report = blog.ingest()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    reason = "it has more than 500,000 lines; split it, or name it in a .blogignore"
    assert report.skipped == (Skipped("blank.md", reason),)
    assert most < 8 * MAX_BYTES


def test_a_link_inside_the_folder_is_a_post_of_its_own_name(made: Blog) -> None:
    made.write({"real/post.md": POST})
    (made.content / "link.md").symlink_to("real/post.md")
    (made.content / "chain.md").symlink_to("link.md")
    os.link(made.content / "real/post.md", made.content / "hard.md")
    report = made.ingest()
    assert report.skipped == ()
    assert list(made.manifest.posts) == ["chain.md", "hard.md", "link.md", "real/post.md"]


def test_a_loop_of_folders_ends(made: Blog) -> None:
    made.write({"a/b/post.md": POST})
    (made.content / "a/b/up").symlink_to("../..")
    (made.content / "a/to-b").symlink_to("b")
    report = made.ingest()
    assert list(made.manifest.posts) == ["a/b/post.md"]
    assert [skip.source for skip in report.skipped] == ["a/b/up", "a/to-b"]


@pytest.mark.parametrize("what", BETWEEN)
def test_what_became_of_a_post_since_the_walk_is_said(
    what: str, tmp_path: Path, outside: Path
) -> None:
    path = tmp_path / "content" / "a.md"
    path.parent.mkdir()
    path.write_text(POST, encoding="utf-8")
    [file] = walk(tmp_path / "content", SUFFIXES).files
    change, reason = BETWEEN[what]
    change(path, outside)
    with pytest.raises(UnreadablePost) as raised:
        read_file(file.path)
    assert str(raised.value) == reason


def test_a_linked_post_is_read_where_the_link_led_when_it_was_listed(
    tmp_path: Path, outside: Path
) -> None:
    content = tmp_path / "content"
    content.mkdir()
    (content / "real.md").write_text(POST, encoding="utf-8")
    (content / "link.md").symlink_to("real.md")
    [link, _] = walk(content, SUFFIXES).files
    BETWEEN["a link outside in its place"][0](content / "link.md", outside)
    assert read_file(link.path) == POST.encode()


@pytest.fixture
def written_to(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, int], None]:
    """Lets somebody append to a file between its opening and its reading, so many times."""
    real = os.fstat

    def arrange(path: Path, times: int) -> None:
        left = [times]

        def fstat(descriptor: int) -> os.stat_result:
            status = real(descriptor)
            if left[0] and status.st_ino == path.stat().st_ino:
                left[0] -= 1
                with path.open("ab") as file:
                    file.write(b"more\n")
            return status

        monkeypatch.setattr(os, "fstat", fstat)

    return arrange


def test_a_post_that_is_saved_while_it_is_read_is_read_whole(
    made: Blog, written_to: Callable[[Path, int], None]
) -> None:
    made.write({"a.md": "Begun.\n"})
    written_to(made.content / "a.md", 1)
    made.ingest()
    assert made.embedder.documents == ["a\nBegun. more"]


def test_a_post_that_is_written_on_and_on_is_named(
    made: Blog, written_to: Callable[[Path, int], None]
) -> None:
    made.write({"a.md": "Begun.\n", "b.md": "Other.\n"})
    written_to(made.content / "a.md", 2 * ATTEMPTS)
    report = made.ingest()
    reason = "it changed while it was read; run again when it is finished"
    assert report.skipped == (Skipped("a.md", reason),)
    assert made.ingest().added == 1


def test_an_indexed_post_that_is_written_on_and_on_stays_as_it_was(
    blog: MakeBlog, written_to: Callable[[Path, int], None]
) -> None:
    made = blog({"a.md": "Onion soup.\n", "b.md": "Other.\n"})
    made.write({"a.md": "Half of a new post", "c.md": "New.\n"})
    written_to(made.content / "a.md", 2 * ATTEMPTS)
    report = made.ingest()
    assert (report.added, report.changed, report.removed, report.skipped) == (1, 0, 0, ())
    assert report.warnings == (
        "a.md: it changed while it was read; run again when it is finished; "
        "the index keeps what it had",
    )
    assert made.reader().read("a.md", 0, 0).chunks[0].text == "Onion soup."
    assert made.ingest().changed == 1


def test_an_indexed_post_that_is_written_on_and_on_keeps_its_last_day(
    blog: MakeBlog, written_to: Callable[[Path, int], None]
) -> None:
    made = blog({"a.md": "---\nexpiryDate: 2027-01-01\n---\nOnion soup.\n"})
    before = read_last_ingest(made.store, 1)
    made.write({"a.md": "---\nexpiryDate: 2028-01-01\n---\nHalf of a new post"})
    written_to(made.content / "a.md", 2 * ATTEMPTS)
    assert made.ingest().generation == 1
    after = read_last_ingest(made.store, 1)
    assert before is not None
    assert after is not None
    due = before.files["a.md"].due
    assert due is not None
    assert after.files["a.md"].due == due


def test_a_blogignore_that_is_no_file_stops_the_walk(made: Blog, outside: Path) -> None:
    made.write({"a.md": POST})
    ignore = made.content / ".blogignore"
    said = []
    for make in (
        os.mkfifo,
        os.mkdir,
        lambda it: it.symlink_to(outside),
        lambda it: it.symlink_to(it),
    ):
        make(ignore)
        with pytest.raises(ContentError) as raised:
            made.ingest()
        said.append(str(raised.value))
        ignore.rmdir() if ignore.is_dir() else ignore.unlink()
    assert said == [
        f".blogignore cannot be used: {reason}. Correct or delete it."
        for reason in (
            "it is not a regular file; name it in a .blogignore",
            "it cannot be read: Is a directory; check the file and its permissions",
            "it is a link that leaves the content folder; copy the file into it",
            "it cannot be read: Too many levels of symbolic links; "
            "check the file and its permissions",
        )
    ]


def test_a_blogignore_may_be_a_link_inside_the_folder(made: Blog) -> None:
    made.write({"a.md": POST, "b.md": POST, ".shared": "b.md\n"})
    (made.content / ".blogignore").symlink_to(".shared")
    made.ingest()
    assert list(made.manifest.posts) == ["a.md"]


@pytest.mark.parametrize("index", [".blog-index", "visible", "posts/index.md"])
def test_an_index_inside_the_content_folder_is_no_content(index: str, made: Blog) -> None:
    made.index = made.content / index
    made.write({"a.md": POST})
    made.ingest()
    made.write({"b.md": "Another."})
    report = made.ingest()
    assert (report.posts, report.added, report.skipped) == (2, 1, ())


@pytest.mark.parametrize("below", [".", "generations", "generations/000001", "posts"])
def test_posts_in_the_index_folder_are_refused_and_kept(below: str, made: Blog) -> None:
    """An ingest deletes folders called `generations/000001`."""
    made.content = made.index / below
    made.write({"000001/mine.md": POST})
    for rebuild in (False, True):
        with pytest.raises(UsageError) as raised:
            made.ingest(rebuild=rebuild)
        assert str(raised.value) == (
            f"The content folder {made.content} lies in the index folder. "
            "Give the index a folder of its own: --index DIR."
        )
    assert (made.content / "000001/mine.md").read_text("utf-8") == POST


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda it: it.mkdir(), "No file below {} ends in .md, .markdown, .mdx or .qmd."),
        (lambda it: it.write_text(""), "{} is a file, not a folder."),
        (lambda _: None, "There is no content folder {}."),
        (
            lambda it: it.symlink_to(it),
            "The content folder {} cannot be read: Too many levels of symbolic links. Check its "
            "permissions.",
        ),
        (os.mkfifo, "{} is a file, not a folder."),
    ],
)
def test_a_content_folder_that_is_none_is_one_sentence_and_changes_nothing(
    make: Callable[[Path], None], said: str, blog: MakeBlog
) -> None:
    made = blog({"a.md": POST})
    made.content = made.content.with_name("elsewhere")
    make(made.content)
    with pytest.raises(ContentError) as raised:
        made.ingest()
    assert str(raised.value).startswith(said.format(made.content))
    assert list(made.manifest.posts) == ["a.md"]


def test_the_report_can_be_printed_anywhere(made: Blog) -> None:
    made.write({"plain.md": POST})
    for source in ("red\x1b[31m\n.md", "rlo\u202e.md", "文.md"):
        (made.content / source).symlink_to("nowhere")
    report = made.ingest()
    assert as_json(report).isascii()
    assert [skip["source"] for skip in json.loads(as_json(report))["skipped"]] == [
        *("red\x1b[31m\n.md", "rlo\u202e.md", "文.md")
    ]
    reason = "it cannot be read: No such file or directory; check the file and its permissions"
    assert as_lines(report)[:3] == [
        f"skipped red\\x1b[31m\\n.md: {reason}",
        f"skipped rlo\\u202e.md: {reason}",
        f"skipped 文.md: {reason}",
    ]


@pytest.mark.skipif("BLOG_SEARCH_NASTY" not in os.environ, reason="needs the nasty corpus")
def test_the_corpus_of_odd_files_is_ingested_and_every_omission_named(made: Blog) -> None:
    maker = Path(os.environ["BLOG_SEARCH_NASTY"]) / "make_fs.py"
    command = [sys.executable, str(maker), str(made.content), "--fifo", "--sparse"]
    subprocess.run(command, check=True, capture_output=True)
    report = made.ingest()
    skipped = {skip.source: skip.reason for skip in report.skipped}
    for source in ("link-outside.md", "link-broken.md", "link-self.md", "loop/up", "link-to-dir"):
        assert source in skipped
    for source in ("pipe.md", "sparse-3gb.md", "invalid-\\xff-name.md", "latin1-\\xe9.md"):
        assert source in skipped
    assert "link-to-file.md" in made.manifest.posts
    listed = [line for line in as_lines(report) if line.startswith("skipped ")]
    assert len(listed) == len(report.skipped) - sum(
        reason in ("draft", "not published") for reason in skipped.values()
    )
    read_back = [made.reader().read(source, 0, 0) for source in made.manifest.posts]
    assert len(read_back) == report.posts
