"""`python -m ingest` as its user meets it: a process with an exit status and two streams."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import command
from blog_search_mcp.ingest.sites.discovery import NO_SITE
from tests.support.paths import ROOT
from tests.support.python import run_python

POSTS = {
    "kv.md": "---\ntitle: KV cache\n---\nIt keeps keys.\n",
    "soup.md": "# Onion soup\n\nBoil an onion.\n",
    "later.md": "---\ndraft: true\n---\nNot yet.\n",
    "latin.md": "# Caf\udce9\n\nThe caf\udce9 is as warm as a soup \udce0 la carte is.\n",
}
WRITTEN = (
    r"3 posts, 3 chunks: 3 added, 1 skipped \(1 draft\); "
    r"3 texts embedded; \d+\.\d s\. "
    r"Embedder: the packaged model all-MiniLM-L6-v2\. The posts are in English\."
)


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


def again(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(folder / "content", "--index", folder / "index", *options)


def test_the_last_line_says_everything(
    first: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, ran = first
    assert ran.returncode == 0
    *before, last = ran.stderr.splitlines()
    assert re.fullmatch(WRITTEN, last)
    assert "latin.md: it is not UTF-8 and was read as cp1252" in before


def test_progress_without_a_terminal_is_plain_lines(
    first: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    lines = first[1].stderr.splitlines()
    shown = [line.partition(",")[0] for line in lines if line.startswith("indexing posts: ")]
    assert shown[0] == "indexing posts: 1 of 4 (25%)"
    assert shown[-1] == "indexing posts: 4 of 4 (100%)"
    assert "\x1b" not in first[1].stderr


def test_json_is_the_report_alone_on_stdout(
    first: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    report = json.loads(first[1].stdout)
    assert report.pop("seconds") > 0
    assert "the packaged model all-MiniLM-L6-v2" in report.pop("embedder_reason")
    assert report == {
        "generation": 1,
        "posts": 3,
        "chunks": 3,
        "added": 3,
        "changed": 0,
        "removed": 0,
        "embedded": 3,
        "without_vector": [],
        "skipped": [{"source": "later.md", "reason": "draft"}],
        "warnings": ["latin.md: it is not UTF-8 and was read as cp1252"],
        "links": {
            "linked": 0,
            "unlinked": {NO_SITE: 3},
        },
        "embedder": "embedded all-MiniLM-L6-v2",
    }


def test_a_second_run_changes_nothing_and_says_so(folder: Path) -> None:
    ran = again(folder)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert re.search(
        r"^3 posts, 3 chunks: nothing changed, 1 skipped \(1 draft\); 0 texts embedded; "
        r"\d+\.\d s\. The index keeps its embedder, the packaged model all-MiniLM-L6-v2\.\n\Z",
        ran.stderr,
        re.MULTILINE,
    )


def test_the_index_folder_may_come_from_the_environment(folder: Path) -> None:
    ran = run(folder / "content", BLOG_INDEX=str(folder / "index"))
    assert "nothing changed" in ran.stderr


def test_a_model_that_the_embedder_does_not_have_is_status_2(folder: Path) -> None:
    options = ("--embedder", "embedded", "--model", "nomic-embed-text", "--rebuild")
    ran = run(folder / "content", *options, BLOG_INDEX=str(folder / "index"))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.splitlines()[-1] == (
        "The embedded embedder does not have the model nomic-embed-text, only all-MiniLM-L6-v2 and "
        "multilingual-e5-small. "
        "Leave --model out, or use --embedder ollama."
    )


def failed(ran: subprocess.CompletedProcess[str]) -> str:
    """The one line of a failure."""
    assert (ran.returncode, ran.stdout) == (1, "")
    [line] = ran.stderr.splitlines()
    return line


def test_a_missing_content_folder_is_one_sentence(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    ran = run(nowhere, "--index", tmp_path / "index", "--embedder", "embedded", "--json")
    assert (ran.returncode, ran.stdout, ran.stderr) == (
        1,
        '{"error": "The content folder is not there."}\n',
        f"There is no content folder {nowhere}. Give the folder that holds the posts.\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_an_empty_content_folder_is_one_sentence_and_makes_no_index(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    ran = run(tmp_path / "content", "--index", tmp_path / "index", "--embedder", "embedded")
    assert failed(ran) == (
        f"No file below {tmp_path / 'content'} ends in .md, .markdown, .mdx or .qmd. "
        "Give the folder that holds the posts."
    )
    assert not (tmp_path / "index").exists()


def rebuild_of(folder: Path, *more: str) -> str:
    return command("ingest", folder / "content", "--index", folder / "index", *more)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CURRENT", "The index's CURRENT names no generation."),
        (
            "generations/000001/manifest.json",
            "The index's manifest.json is not one of ours.",
        ),
        (
            "generations/000001/vectors/000001.npy",
            "The index's vectors/000001.npy is damaged.",
        ),
        ("generations/000001/chunks.db", "The index's chunks.db is damaged."),
    ],
)
def test_a_broken_index_is_one_sentence_and_the_command_in_it_mends_it(
    name: str, said: str, folder: Path
) -> None:
    (folder / "index" / name).write_text("nonsense", encoding="utf-8")
    (folder / "content" / "new.md").write_text("A new post.\n", encoding="utf-8")
    rebuild = rebuild_of(folder, "--rebuild")
    assert f"{said} Rebuild it: `{rebuild}`." in again(folder).stderr.splitlines()
    mended = subprocess.run(shlex.split(rebuild), capture_output=True, encoding="utf-8")
    assert mended.returncode == 0
    assert "4 posts, 4 chunks: 4 added" in mended.stderr
    assert re.search(r"; (0 texts|1 text) embedded; ", mended.stderr)


def test_another_embedder_than_the_index_s_is_refused(folder: Path) -> None:
    line = failed(again(folder, "--embedder", "ollama"))
    assert line.endswith(f"`{rebuild_of(folder, '--rebuild', '--embedder', 'ollama')}`.")


@pytest.mark.parametrize("room", [0, 3_000, 40_000])
def test_a_full_disk_is_one_sentence_and_the_index_stays_as_it_was(room: int, folder: Path) -> None:
    (folder / "content" / "new.md").write_text("A new post.\n\n" * 500, encoding="utf-8")
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "from blog_search_mcp.ingest.__main__ import main\n"
        "sys.exit(main())"
    )
    ran = run_python("-c", program, folder / "content", "--index", folder / "index")
    assert ran.returncode == 1, ran.stderr
    last = ran.stderr.splitlines()[-1]
    advice = "check the disk's space and the folder's permissions, then run again."
    assert last.lower().endswith(advice)
    assert "Traceback" not in ran.stderr
    ran = again(folder)
    assert (ran.returncode, "4 posts" in ran.stderr) == (0, True)


STOPPED = "Stopped; the index is whole and finished embeddings are kept. Run again to go on."


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mask of signals")
def test_ctrl_c_does_not_reach_processes_that_start(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n",
        encoding="utf-8",
    )
    (tmp_path / "content").mkdir()
    for number in range(120):
        (tmp_path / "content" / f"{number}.md").write_text(f"Soup {number}", encoding="utf-8")
    program = (
        "import sys, blog_search_mcp.ingest.workers as workers\n"
        "from blog_search_mcp.ingest.__main__ import main\n"
        "workers._count_processors = lambda: 2\n"
        "main()"
    )
    ran = run_python(
        *("-c", program, tmp_path / "content", "--index", tmp_path / "index"),
        *("--embedder", "embedded", "--json"),
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert (ran.returncode, "Traceback" in ran.stderr) == (0, False), ran.stderr
    assert json.loads(ran.stdout)["posts"] == 120


@pytest.mark.parametrize("words", [["ingest.__main__"], ["__main__", "ingest"]])
@pytest.mark.parametrize("library", ["click", "pydantic"])
def test_a_stop_while_the_libraries_load_is_the_same_sentence(
    words: list[str], library: str, folder: Path
) -> None:
    module, *command = words
    program = (
        f"import os, signal, sys, blog_search_mcp.{module} as command\n"
        "class Stopping:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {library!r}:\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Stopping())\n"
        "command.main()"
    )
    ran = run_python("-c", program, *command, folder / "content", "--index", folder / "index")
    assert (ran.returncode, ran.stderr) == (143, STOPPED + "\n")
