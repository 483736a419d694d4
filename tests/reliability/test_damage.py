"""Every file of an index in every state that a disk or a person may leave it in.

All of it runs in one process, which is the test that FAISS, tantivy and SQLite never saw a
damaged file: FAISS's C++ would have ended it.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import IndexBroken, IndexMissing, IndexProblem
from blog_search_mcp.index.invocation import Message
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.types import Filters
from tests.support import front
from tests.support.blog import Blog

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number {n}.\n" for n in range(5)}
OTHERS = {f"{n}.md": f"# The sea\n\nShip {n} left the harbour.\n" for n in range(6)}
UNREADABLE = {"deleted", "a folder in its place"}
ANOTHERS = "another generation's in its place"
"""The damage that changes nothing where the two files happen to be equal."""


def flip(path: Path, _other: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def replace_by_folder(path: Path, _other: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "a bit flipped": flip,
    "its last byte cut off": lambda path, _: os.truncate(path, path.stat().st_size - 1),
    "its second half cut off": lambda path, _: os.truncate(path, path.stat().st_size // 2),
    "emptied": lambda path, _: os.truncate(path, 0),
    "all its bytes zero": lambda path, _: path.write_bytes(bytes(path.stat().st_size)),
    ANOTHERS: lambda path, other: shutil.copyfile(other, path),
    "deleted": lambda path, _: path.unlink(),
    "a folder in its place": replace_by_folder,
}
"""Functions of the file to damage and another generation's file of its kind."""
CURRENT = {
    "empty": b"",
    "nonsense": b"nonsense\n",
    "a missing generation": b"999999\n",
    "a path out of the folder": b"../../etc\n",
    "5,000 digits": b"9" * 5000,
    "deleted": None,
}


def files_by_kind(folder: Path) -> dict[str, Path]:
    """Return one file of each kind in a generation's folder, by its name without random parts."""
    random = re.compile(r"[0-9a-f]{32}(\.\d+)?|(?<=vectors/)\d{6}")
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    kinds = {random.sub("*", path.relative_to(folder).as_posix()): path for path in paths}
    return {name: path for name, path in kinds.items() if not name.endswith(".lock")}


def ingested(folder: Path, posts: dict[str, str]) -> Blog:
    """A blog whose index has deletions, as every index has that was ever updated.

    The generation before is gone, as it is for whom a switch has come between.
    """
    made = Blog(folder / "content", folder / "index")
    made.content.mkdir(parents=True)
    made.write(posts)
    made.ingest()
    made.write({"0.md": f"# Changed\n\nAbout a stew{' of beans' * len(posts)}.\n"})
    made.ingest()
    shutil.rmtree(made.layout.generation(1).folder)
    return made


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Blog, Blog]:
    folder = tmp_path_factory.mktemp("two")
    return ingested(folder / "one", POSTS), ingested(folder / "other", OTHERS)


@pytest.fixture
def made(two: tuple[Blog, Blog], tmp_path: Path) -> Iterator[Blog]:
    """A copy to damage."""
    shutil.copytree(two[0].content, tmp_path / "content")
    shutil.copytree(two[0].index, tmp_path / "index")
    copy = Blog(tmp_path / "content", tmp_path / "index")
    yield copy
    for live in copy.live:
        live.close()


def refusal(blog: Blog) -> str:
    with pytest.raises(IndexProblem) as raised:
        blog.reader()
    return str(raised.value)


REBUILT = Message(*REBUILD)


def expected(name: str, damage: str) -> str:
    fault = "cannot be read" if damage in UNREADABLE else "is damaged"
    return f"The index's {name} {fault}. {REBUILT}"


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damaged_file_is_refused_by_its_name(
    damage: str, made: Blog, two: tuple[Blog, Blog]
) -> None:
    others = files_by_kind(two[1].files.folder)
    spare = made.index.with_name("spare")
    kinds = files_by_kind(made.files.folder)
    del kinds["manifest.json"]
    for kind, path in kinds.items():
        shutil.copyfile(path, spare)
        DAMAGES[damage](path, others[kind])
        name = path.relative_to(made.files.folder).as_posix()
        if damage == ANOTHERS and path.read_bytes() == spare.read_bytes():
            assert made.sources_with("stew") == ["0.md"]  # small files of tantivy's may be the same
        else:
            assert refusal(made) == expected(name, damage)
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.copyfile(spare, path)
    assert made.sources_with("stew") == ["0.md"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest_is_refused_and_mended(
    damage: str, made: Blog, two: tuple[Blog, Blog]
) -> None:
    DAMAGES[damage](made.files.manifest, two[1].files.manifest)
    name = r"\S+" if damage == ANOTHERS else r"manifest\.json"  # another's is whole
    faults = "(cannot be read|is damaged|is not one of ours)"
    assert re.fullmatch(rf"The index's {name} {faults}\. {re.escape(REBUILT)}", refusal(made))
    made.ingest(rebuild=True)
    assert made.sources_with("stew") == ["0.md"]


@pytest.mark.parametrize("state", CURRENT)
def test_a_current_in_any_state_is_one_sentence_and_the_command_in_it_mends_it(
    state: str, made: Blog
) -> None:
    made.layout.current.unlink()
    if (content := CURRENT[state]) is not None:
        made.layout.current.write_bytes(content)
    if content is None:
        with pytest.raises(IndexMissing, match=r"^There is no index in index/ yet\. Make one: "):
            made.reader()
        made.ingest()
    elif state == "a missing generation":  # those before it are whole
        assert made.sources_with("stew") == ["0.md"]
        made.ingest(rebuild=True)
    else:
        assert re.fullmatch(
            r"The index's (CURRENT names no generation|(CURRENT|manifest\.json) cannot be read)\. "
            + re.escape(REBUILT),
            refusal(made),
        )
        made.ingest(rebuild=True)
    assert made.sources_with("stew") == ["0.md"]
    assert made.embedder.documents == []


def test_what_else_lies_in_the_index_does_no_harm_and_is_not_deleted(made: Blog) -> None:
    folder = made.files.folder
    for name in (".DS_Store", "chunks.db-wal", "chunks.db-journal", "lexical/posts/x.term"):
        (folder / name).write_bytes(b"nonsense")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "folder").mkdir()
    strangers = ("2024", "notes", "9" * 18, "9" * 30, "００００００")
    for name in strangers:
        (made.layout.generations / name).mkdir()
    (made.index / "README").write_text("mine", encoding="utf-8")
    assert made.sources_with("stew") == ["0.md"]
    made.write({"new.md": "A new post."})
    assert made.ingest().generation == 3
    assert made.sources_with("stew") == ["0.md"]
    assert {path.name for path in made.layout.generations.iterdir()} >= set(strangers)
    assert (made.index / "README").is_file()


@pytest.mark.parametrize("damage", ["its second half cut off", "emptied", "all its bytes zero"])
@pytest.mark.parametrize("name", ["vectors/000002.faiss", "chunks.db", "lexical/chunks/meta.json"])
def test_a_file_that_is_cut_under_an_open_reader_is_refused_before_it_is_read(
    name: str, damage: str, made: Blog
) -> None:
    """Read it, and the process would end with SIGBUS."""
    live = made.engine()
    reader = live.reader()
    DAMAGES[damage](made.files.folder / name, made.files.folder / name)
    for ask in (
        lambda: reader.search("stew", Filters(), limit=1, offset=0),
        lambda: live.reader().read("0.md", 0, 0),
    ):
        with pytest.raises(IndexBroken) as raised:
            ask()
        assert str(raised.value) == f"The index's {name} is damaged. {REBUILT}"
    made.ingest(rebuild=True)
    [hit] = live.reader().search("stew", Filters(), limit=1, offset=0).hits
    assert hit.post.source == "0.md"


def test_the_doctor_finds_a_bit_that_a_disk_lost(tmp_path: Path) -> None:
    blog = front.made(tmp_path, {"a.md": "# Soup\n\nAn onion.\n"})
    [path] = blog.index.glob("generations/*/texts.db")
    status, whole = path.stat(), path.read_bytes()
    assert path.name not in blog.command("doctor").out
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    ran = blog.command("doctor")
    assert ran.status == 1
    assert path.name in ran.out
