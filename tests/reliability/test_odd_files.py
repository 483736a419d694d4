"""A content folder of oddities: each is indexed and read back by its name, or named with why not.

Never a traceback, never a file outside the folder, never a wait for a pipe.
"""

import json
import os
import sys
import unicodedata
from pathlib import Path

import pytest

from tests.support.front import Blog, made

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems refuse or fold such names"
)

POST = "# Odd\n\nA post about the zebrafinch.\n"
NAMES = (
    *("new\nline.md", "tab\there.md", "red\x1b[31m.md", "emoji-🚀.md", "中文檔名.md", "עברית.md"),
    *("rlo\u202edm.exe.md", "zero\u200bwidth.md", "-dash.md", "--help.md", " leading.md"),
    *("trailing .md", "back\\slash.md", "quo'te\".md", "$(touch x);`y`.md", "100%25.md"),
    *("a?b#c&d=e+f.md", "[b]*.md", "n" * 252 + ".md", "字" * 84 + ".md", "x..md", "UPPER.MD"),
    unicodedata.normalize("NFC", "café.md"),
    unicodedata.normalize("NFD", "café.md"),
    *("case/Name.md", "case/name.md", "x/index.md/inside.md", "folder.md/index.md"),
    "/".join(f"d{n}" for n in range(60)) + "/leaf.md",
)


def test_every_odd_name_is_indexed_found_and_read_back(tmp_path: Path) -> None:
    blog = made(tmp_path, dict.fromkeys(NAMES, POST))
    assert (blog.report["posts"], blog.report["skipped"]) == (len(NAMES), [])
    assert sorted(blog.posts()) == sorted(NAMES)
    for source in NAMES:
        assert blog.tool("read_chunk", source=source, chunk_index=0).text.startswith(POST.strip())
    assert len(blog.sources("zebrafinch", "--limit", "20")) == 20
    again = json.loads(blog.ingest("--json").out)
    assert (again["added"], again["changed"], again["removed"]) == (0, 0, 0)


def test_what_is_no_post_is_named_and_nothing_of_it_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "secret.md"
    secret.parent.mkdir()
    secret.write_text("The password is swordfish.\n", encoding="utf-8")
    content = tmp_path / "content"
    (content / "a" / "b").mkdir(parents=True)
    links = {
        "out.md": str(secret),
        "up.md": os.path.relpath(secret, content),
        "dir": str(secret.parent),
        "passwords.md": "/etc/passwd",
        "nothing.md": "nowhere",
        "self.md": "self.md",
        "zero.md": "/dev/zero",
        "here": ".",
        "a/b/loop": "../..",
    }
    for name, target in links.items():
        (content / name).symlink_to(target)
    os.mkfifo(content / "pipe.md")
    with (content / "sparse.md").open("wb") as file:
        file.truncate(3 << 30)
    blog = Blog(content, tmp_path / "index")
    blog.write({"plain.md": POST, "blank.md": "# Blank\n" + "\n" * 1_000_000})
    ran = blog.ingest("--json")
    report = json.loads(ran.out)
    assert ran.out.isascii()
    assert {skip["source"] for skip in report["skipped"]} == {
        *links,
        *("pipe.md", "sparse.md", "blank.md"),
    }
    assert list(blog.posts()) == ["plain.md"]
    for path in blog.index.rglob("*"):
        assert not (path.is_file() and b"swordfish" in path.read_bytes())


@pytest.mark.parametrize("index", [".blog-index", "visible", "posts/index.md"])
def test_an_index_inside_the_content_folder_is_no_content(index: str, tmp_path: Path) -> None:
    blog = Blog(tmp_path, tmp_path / index)
    blog.write({"a.md": POST})
    assert blog.ingest().status == 0
    blog.write({"b.md": "Another."})
    report = json.loads(blog.ingest("--json").out)
    assert (report["posts"], report["added"], report["skipped"]) == (2, 1, [])


@pytest.mark.parametrize("below", [".", "generations", "generations/000001", "posts"])
def test_posts_in_the_index_folder_are_refused_and_kept(below: str, tmp_path: Path) -> None:
    """An ingest deletes folders called `generations/000001`."""
    blog = Blog(tmp_path / "index" / below, tmp_path / "index")
    blog.write({"000001/mine.md": POST})
    assert blog.ingest().status != 0
    assert blog.ingest("--rebuild").status != 0
    assert (blog.content / "000001/mine.md").read_text("utf-8") == POST


def test_a_content_folder_that_is_none_is_said_and_changes_nothing(tmp_path: Path) -> None:
    blog = made(tmp_path, {"a.md": POST})
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "file", "loop", "pipe", "nowhere"):
        ran = Blog(tmp_path / name, blog.index).ingest()
        assert (ran.status != 0, name in ran.err, "Traceback" in ran.err) == (True, True, False)
    assert list(blog.posts()) == ["a.md"]
