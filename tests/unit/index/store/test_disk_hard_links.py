"""What generations share: bytes that are written once, told by inodes, and still verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.store.manifest import verify
from blog_search_mcp.index.types import Filters, Hit

if TYPE_CHECKING:
    from blog_search_mcp.index.store.disk import GenerationFiles
    from tests.support.blog import Blog, MakeBlog

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number{n}.\n" for n in range(30)}
REWRITTEN = {"table.npz", "overview.json", "chunks.db", "vectors/directory.npz", "manifest.json"}


def inodes(files: GenerationFiles) -> dict[str, int]:
    """By name, of every file that is written once."""
    paths = [path for path in files.folder.rglob("*") if path.is_file() and path.suffix != ".lock"]
    names = {path.relative_to(files.folder).as_posix(): path.stat().st_ino for path in paths}
    lists = {name for name in names if name.startswith("lexical/") and name.endswith(".json")}
    return {name: names[name] for name in names.keys() - REWRITTEN - lists}


def edited(made: Blog, number: int = 3) -> None:
    made.write({f"{number}.md": f"# Post {number}\n\nAbout a walrus{number}.\n"})
    made.ingest()


def found(made: Blog, word: str) -> list[str]:
    answer = made.reader().search(word, Filters(), limit=30, offset=0)
    return [hit.post.source for hit in answer.hits if word in hit.chunk.text]


def test_one_edit_copies_none_of_what_is_written_once(blog: MakeBlog) -> None:
    made = blog(POSTS)
    before, earlier = inodes(made.files), made.manifest.files
    edited(made)
    assert before.items() <= inodes(made.files).items()
    assert {"vectors/000001.npy", "texts.db"} < before.keys()
    assert {name: made.manifest.files[name] for name in before} == {
        name: earlier[name] for name in before
    }
    verify(made.files, made.manifest)
    assert found(made, "walrus3") == ["3.md"]
    assert found(made, "number3") == []
    assert found(made, "number4") == ["4.md"]


def test_what_was_edited_again_is_found_as_it_is_now(blog: MakeBlog) -> None:
    made = blog(POSTS)
    for text in ("a seal", "an otter", "a walrus"):
        made.write({"3.md": f"# Post 3\n\nAbout {text}.\n"})
        made.ingest()
    (made.content / "4.md").unlink()
    made.ingest()
    reader = made.reader()
    assert reader.read("3.md", 0, 0).chunks[0].text == "# Post 3\n\nAbout a walrus."
    assert [found(made, word) for word in ("seal", "otter", "number4")] == [[], [], []]
    texts = {text for text in made.embedder.documents if "otter" in text}
    assert len(texts) == 1


def test_shared_files_are_written_anew_once_a_tenth_has_changed(blog: MakeBlog) -> None:
    made = blog(POSTS)
    before = inodes(made.files)
    for number in range(4):
        edited(made, number)
    after = inodes(made.files)
    assert "vectors/000001.npy" not in after
    assert after["texts.db"] != before["texts.db"]
    assert [found(made, f"walrus{number}") for number in range(4)] == [
        [f"{number}.md"] for number in range(4)
    ]
    assert found(made, "number7") == ["7.md"]


def test_texts_of_deleted_posts_do_not_stay_for_ever(blog: MakeBlog) -> None:
    made = blog(POSTS)
    for number in range(4):
        (made.content / f"{number}.md").unlink()
    made.ingest()
    assert b"number3" not in made.files.texts.read_bytes()
    assert b"number4" in made.files.texts.read_bytes()


def test_the_same_is_found_as_in_an_index_made_anew(blog: MakeBlog) -> None:
    made = blog(POSTS)
    edited(made, 3)
    edited(made, 8)
    shared = [hit.post.source for hit in answers(made)]
    made.ingest(rebuild=True)
    assert [hit.post.source for hit in answers(made)] == shared


def answers(made: Blog) -> list[Hit]:
    return list(made.reader().search("soup walrus8 number9", Filters(), limit=9, offset=0).hits)


def test_without_links_everything_is_copied_with_checksums(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_paths: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("blog_search_mcp.index.store.disk.os.link", refuse)
    made = blog(POSTS)
    before = inodes(made.files)
    edited(made)
    assert not before.items() & inodes(made.files).items()
    verify(made.files, made.manifest)
    assert found(made, "walrus3") == ["3.md"]
