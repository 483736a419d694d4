"""`python -m ingest` as its user meets it: a process with an exit status and two streams."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blog_search_mcp.index.invocation import command
from blog_search_mcp.ingest import STOPPED
from tests.support import front
from tests.support.front import Ran
from tests.support.paths import ROOT
from tests.support.python import run_python

POSTS = {
    "kv.md": "---\ntitle: KV cache\n---\nIt keeps keys.\n",
    "soup.md": "# Onion soup\n\nBoil an onion.\n",
    "later.md": "---\ndraft: true\n---\nNot yet.\n",
    "latin.md": "# Caf\udce9\n\nThe caf\udce9 is as warm as a soup \udce0 la carte is.\n",
}


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "blog_search_mcp.ingest", *arguments, env=os.environ | environment)


def write(content: Path) -> Path:
    content.mkdir()
    for source, text in POSTS.items():
        (content / source).write_text(text, encoding="utf-8", errors="surrogateescape")
    return content


@pytest.fixture(scope="module")
def first(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a first ingest, and how it went."""
    folder = tmp_path_factory.mktemp("first")
    content = write(folder / "content")
    return folder, run(content, "--index", folder / "index", "--embedder", "embedded", "--json")


@pytest.fixture
def folder(first: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path) -> Path:
    """A copy of the first ingest's folder, to be spoiled."""
    return Path(shutil.copytree(first[0], tmp_path / "blog"))


def again(folder: Path, *options: str) -> Ran:
    """Ingest that folder in this process."""
    return front.command(
        "ingest", str(folder / "content"), "--index", str(folder / "index"), *options
    )


def test_json_is_the_report_alone_on_stdout_and_a_second_run_changes_nothing(
    first: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, ran = first
    report = json.loads(ran.stdout)
    numbers = [report[name] for name in ("posts", "chunks", "added", "changed", "embedded")]
    assert numbers == [3, 3, 3, 0, 3]
    assert report["skipped"] == [{"source": "later.md", "reason": "draft"}]
    [warning] = report["warnings"]
    assert "latin.md" in warning
    assert warning in ran.stderr.splitlines()
    report = json.loads(again(folder, "--json").out)
    assert [report[name] for name in ("generation", "added", "embedded")] == [1, 0, 0]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--embedder", "embedded", "--model", "nomic-embed-text", "--rebuild"), 2),
        (("--embedder", "ollama"), 1),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    options: tuple[str, ...], status: int, folder: Path
) -> None:
    ran = again(folder, *options)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)


def test_a_missing_content_folder_is_named_to_its_author_alone(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    ran = run(nowhere, "--index", tmp_path / "index", "--embedder", "embedded", "--json")
    assert (ran.returncode, str(nowhere) in ran.stderr) == (1, True)
    assert str(tmp_path) not in json.loads(ran.stdout)["error"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        *("CURRENT", "generations/000001/manifest.json", "generations/000001/chunks.db"),
        "generations/000001/vectors/000001.faiss",
    ],
)
def test_a_broken_index_is_named_and_the_command_in_the_sentence_mends_it(
    name: str, folder: Path
) -> None:
    (folder / "index" / name).write_text("nonsense", encoding="utf-8")
    (folder / "content" / "new.md").write_text("A new post.\n", encoding="utf-8")
    rebuild = command("ingest", folder / "content", "--index", folder / "index", "--rebuild")
    said = again(folder).err
    assert name.removeprefix("generations/000001/") in said
    assert f"`{rebuild}`" in said
    _, *words = shlex.split(rebuild)
    mended = front.command(*words)
    assert (mended.status, "4 added" in mended.err) == (0, True)


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_is_one_sentence_and_keeps_the_index(
    sent: signal.Signals, status: int, folder: Path
) -> None:
    for number in range(300):
        text = f"# Post {number}\n\n" + f"Words of post {number} here. " * 40
        (folder / "content" / f"{number}.md").write_text(text, encoding="utf-8")
    folders = (str(folder / "content"), "--index", str(folder / "index"))
    command = [sys.executable, "-m", "blog_search_mcp.ingest", *folders]
    before = signal.signal(sent, signal.SIG_DFL)  # a shell's `&` ignores SIGINT, and so would ours
    try:
        running = subprocess.Popen(
            command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
    finally:
        signal.signal(sent, before)
    with running:
        assert running.stderr is not None
        for line in running.stderr:
            if line.startswith("indexing posts: "):
                break
        time.sleep(0.1)
        running.send_signal(sent)
        rest = running.stderr.read()
        assert running.wait(timeout=60) == status
    assert rest.splitlines()[-1] == STOPPED
    assert (folder / "index" / "CURRENT").read_text("ascii") == "000001\n"
