"""An index of a stranger's: what is no file of ours is not followed, not written to, not lost."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.front import Blog, made

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes are of other systems")

NAMES = (
    *("CURRENT", "CURRENT.next", "last_ingest.json", "last_ingest.json.next", "lock", "watch.lock"),
    *("embeddings.db", "embeddings.db-wal", "generations", "generations/000001"),
    *("generations/000007", "generations/000001/manifest.json", "generations/000001/overview.json"),
    *("generations/000001/chunks.db", "generations/000001/texts.db", "generations/000001/lexical"),
    *("generations/000001/vectors/directory.npz", "generations/000001/lexical/posts"),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("whole"), {"tea.md": "# Tea\n\nSteep it.\n"})


@pytest.fixture
def blog(whole: Blog, tmp_path: Path) -> Blog:
    shutil.copytree(whole.content.parent, tmp_path / "blog")
    return Blog(tmp_path / "blog/content", tmp_path / "blog/index")


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in (folder, *folder.rglob("*")) if path.is_file())
    return {str(path): path.read_bytes() for path in files}


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_ours_that_is_a_link_or_a_pipe_refuses_the_index(
    kind: str, name: str, blog: Blog, tmp_path: Path
) -> None:
    path, victim = blog.index / name, tmp_path / "victim"
    if path.exists():
        path.rename(victim)
    else:
        victim.write_text("mine", encoding="utf-8")
    os.mkfifo(path) if kind == "pipe" else path.symlink_to(victim)
    before = tree(victim)
    blog.write({"new.md": "# New\n\nA post.\n"})
    for ran in (blog.command("search", "tea"), blog.ingest()):
        assert (ran.status, ran.err.count("\n"), path.name in ran.err) == (1, 1, True)
    assert (blog.ingest("--rebuild").status == 0) == name.startswith("generations/000001/")
    assert tree(victim) == before


def test_an_index_folder_that_is_a_link_is_not_written_to(blog: Blog, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "link").symlink_to("victim")
    ran = Blog(blog.content, tmp_path / "link").ingest()
    assert (ran.status, "link" in ran.err) == (1, True)
    assert not [*(tmp_path / "victim").iterdir()]


def test_folders_with_numbers_that_are_not_ours_stay(blog: Blog) -> None:
    theirs = ("20240101/photo.jpg", "000002/x", "000007/manifest.json", "9" * 17 + "/x")
    for name in theirs:
        path = blog.index / "generations" / name
        path.parent.mkdir()
        path.write_text('{"name": "app"}', encoding="utf-8")
    for text in ("One.", "Two.", "Three."):
        blog.write({"tea.md": f"# Tea\n\nSteep it. {text}\n"})
        assert blog.ingest().status == 0
    assert blog.ingest("--rebuild").status == 0
    assert blog.sources("steep") == ["tea.md"]
    left = {path.name for path in (blog.index / "generations").iterdir()}
    assert len(left) == len(theirs) + 2
    assert all((blog.index / "generations" / name).is_file() for name in theirs)
