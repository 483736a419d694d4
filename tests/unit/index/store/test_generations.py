"""Generations on disk: how one takes the place of another, who may read and write meanwhile."""

from pathlib import Path

from blog_search_mcp.index.store.disk import MANIFEST_HEAD, GenerationFiles, Layout
from blog_search_mcp.index.store.manifest import Guard
from blog_search_mcp.index.types import Filters
from tests.support.blog import Blog, MakeBlog
from tests.support.front import made as made_by_front

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number{n}.\n" for n in range(30)}
ONION, LEEK = {"soup.md": "# Soup\n\nBoil an onion.\n"}, {"soup.md": "# Soup\n\nFry a leek.\n"}


def generations(layout: Layout) -> list[int]:
    return sorted(int(folder.name) for folder in layout.generations.iterdir())


def texts_with(made: Blog, word: str) -> list[str]:
    answer = made.reader().search(word, Filters(), limit=30, offset=0)
    return [hit.post.source for hit in answer.hits if word in hit.chunk.text]


def edit(made: Blog, *numbers: int) -> None:
    made.write({f"{n}.md": f"# Post {n}\n\nAbout a walrus{n}.\n" for n in numbers})
    made.ingest()


def test_what_a_killed_writer_left_is_thrown_away(blog: MakeBlog) -> None:
    made = blog(ONION)
    for number, head in enumerate((MANIFEST_HEAD, b""), 2):
        made.layout.generation(number).vectors.mkdir(parents=True)
        made.layout.generation(number).manifest.write_bytes(head)
    made.layout.generation(4).vectors.mkdir(parents=True)
    made.layout.current.with_name("CURRENT.next").write_text("0000", encoding="ascii")
    assert made.reader().manifest.generation == 1
    made.write(LEEK)
    assert (made.ingest().generation, generations(made.layout)) == (5, [1, 5])


def switch(made: Blog, times: int) -> None:
    for number in range(times):
        made.write({"soup.md": f"# Soup\n\nVersion {made.manifest.generation} {number}.\n"})
        made.ingest()


def test_a_request_that_outlasts_two_switches_still_gets_its_answer(blog: MakeBlog) -> None:
    made = blog(ONION)
    live = made.engine()
    asked = live.reader()
    for _ in range(3):
        switch(made, 1)
        live.reader()
    assert generations(made.layout) == [3, 4]
    [hit] = asked.search("onion", Filters(), limit=1, offset=0).hits
    assert hit.chunk.text == "# Soup\n\nBoil an onion."


def test_after_an_ingest_that_fails_the_generation_before_still_stands_in(tmp_path: Path) -> None:
    blog = made_by_front(tmp_path, ONION)
    blog.write(LEEK)
    assert blog.ingest().status == 0
    (blog.content / "soup.md").unlink()
    assert blog.ingest().status == 1
    (max((blog.index / "generations").iterdir()) / "manifest.json").write_bytes(b"{}")
    assert "onion" in blog.tool("read_chunk", source="soup.md").text


def inodes(files: GenerationFiles) -> dict[str, int]:
    """By name, of the two largest files of a generation, which are written once."""
    return {
        path.relative_to(files.folder).as_posix(): path.stat().st_ino
        for path in (files.texts, *files.vectors.glob("*.faiss"))
    }


def test_edits_share_what_is_written_once(blog: MakeBlog) -> None:
    made = blog(POSTS)
    before, checksums = inodes(made.files), made.manifest.files
    edit(made, 3)
    assert before.items() <= inodes(made.files).items()
    assert {name: made.manifest.files[name] for name in before} == {
        name: checksums[name] for name in before
    }
    there = {path for path in made.files.folder.rglob("*") if path.is_file()}
    names = {path.relative_to(made.files.folder).as_posix() for path in there}
    unlocked = {name for name in names if not name.endswith(".lock")}
    assert set(made.manifest.files) == unlocked - {"manifest.json"}
    assert [texts_with(made, word) for word in ("walrus3", "number3", "number4")] == [
        ["3.md"],
        [],
        ["4.md"],
    ]
    texts = made.files.texts.stat().st_ino
    for number in (0, 1, 2):
        edit(made, number)
    assert made.files.texts.stat().st_ino == texts
    assert "2.md" not in texts_with(made, "number2")
    Guard(made.files, made.manifest, trusts_stamps=False)
    grown = answers(made)
    made.ingest(rebuild=True)
    assert answers(made) == grown


def answers(made: Blog) -> list[str]:
    hits = made.reader().search("walrus2 number9", Filters(), limit=2, offset=0).hits
    return sorted(hit.post.source for hit in hits)
