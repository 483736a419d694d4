"""Mistakes of a first day, made by a person in a shell: a sentence each, and no traceback."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import front
from tests.support.blog import Blog, MakeBlog

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    python = shlex.quote(sys.executable)
    line = line.replace("INGEST", f"{python} -m blog_search_mcp.ingest")
    line = line.replace("SERVER", f"{python} -m blog_search_mcp")
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False
    )


CAPABILITIES = "-dac_override,-dac_read_search,-fowner"


def as_user(line: str) -> subprocess.CompletedProcess[str]:
    """Run `line` without what lets root read and write where others may not."""
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything")
        drop = f"setpriv --bounding-set={CAPABILITIES} --inh-caps={CAPABILITIES}"
        line = f"{drop} bash -c {shlex.quote(line)}"
    return shell(line)


@pytest.fixture
def made(blog: MakeBlog) -> Blog:
    return blog({"a.md": "# Caches\n\nA cache keeps what was read.\n"})


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"])
def test_a_place_that_cannot_be_listened_on_is_said_with_what_to_do(
    host: str, tmp_path: Path
) -> None:
    """A port that is taken, and an address of another machine."""
    (tmp_path / "token").write_text("0123456789abcdef", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = shell(f"SERVER --http {host}:{port} --token-file {tmp_path / 'token'}")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert f"{host}:{port}" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("rebuild", [[], ["--rebuild"]])
def test_a_file_where_the_index_should_be_is_named(tmp_path: Path, rebuild: list[str]) -> None:
    (tmp_path / "posts").mkdir()
    (tmp_path / "posts" / "a.md").write_text("A post.\n", encoding="utf-8")
    (tmp_path / "f").write_text("", encoding="utf-8")
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "generations").write_text("", encoding="utf-8")
    for index in ("f", "f/below", "g"):
        ran = front.Blog(tmp_path / "posts", tmp_path / index).ingest(*rebuild)
        last = ran.err.splitlines()[-1]
        assert (ran.status, "file" in last, "--index" in last) == (1, True, True)
    ran = front.command("search", "--index", str(tmp_path / "f"), "x")
    assert (ran.status, len(ran.err.splitlines()), "--index" in ran.err) == (1, 1, True)


@pytest.mark.parametrize("transport", ["", " --http 8765"])
def test_a_folder_to_watch_that_is_none_is_said_at_once(tmp_path: Path, transport: str) -> None:
    (tmp_path / "a.md").write_text("A post.\n", encoding="utf-8")
    for content in ("none", "a.md"):
        ran = shell(f"cd {tmp_path} && SERVER{transport} --watch {content}")
        assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (1, "", 1)
        assert str(tmp_path / content) in ran.stderr


def test_an_index_that_may_only_be_read_is_searched(made: Blog) -> None:
    shell(f"INGEST {made.content} --index {made.index}2 --embedder embedded")
    shell(f"chmod -R a-w {made.index}2")
    try:
        ran = as_user(f"SERVER search --index {made.index}2 cache --json")
        assert (ran.returncode, ran.stderr) == (0, "")
        assert '"source": "a.md"' in ran.stdout
        (made.content / "b.md").write_text("Another post.\n", encoding="utf-8")
        for rebuild in ("", " --rebuild"):
            ran = as_user(f"INGEST {made.content} --index {made.index}2{rebuild}")
            assert (ran.returncode, len(ran.stderr.splitlines())) == (1, 1)
            assert "permission" in ran.stderr.lower()
    finally:
        shell(f"chmod -R u+w {made.index}2")


def test_a_place_that_may_not_be_used_is_said(made: Blog) -> None:
    made.content.parent.joinpath("closed").mkdir(mode=0o555)
    ran = as_user(f"INGEST {made.content} --index {made.content.parent}/closed/i")
    assert (ran.returncode, len(ran.stderr.splitlines())) == (1, 1)
    assert "permission" in ran.stderr
    for closed in (made.index, made.index / "generations"):
        closed.chmod(0)
        ran = as_user(f"SERVER search --index {made.index} cache")
        closed.chmod(0o755)
        assert (ran.returncode, len(ran.stderr.splitlines())) == (1, 1)
        assert "permission" in ran.stderr


@pytest.mark.parametrize("name", ["chunks.db", "vectors/directory.npz", "lexical/posts/meta.json"])
def test_a_file_of_the_index_that_may_not_be_read_is_named(name: str, tmp_path: Path) -> None:
    blog = front.made(tmp_path, {"a.md": "A cache.\n"})
    (blog.index / "generations" / "000001" / name).chmod(0)
    for command in ("SERVER search cache", f"INGEST {blog.content}"):
        ran = as_user(f"{command} --index {blog.index}")
        assert (ran.returncode, len(ran.stderr.splitlines())) == (1, 1)
        assert f"This account may not read the index's {name}. Give it" in ran.stderr


@pytest.mark.parametrize("typed", ["notes", "setup note"])
def test_of_a_folder_typed_alone_or_amiss_the_way_on_is_said(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path)
    ran = front.command(*typed.split())
    assert (ran.status != 0, "notes" in ran.err, "setup" in ran.err) == (
        True,
        True,
        typed == "notes",
    )


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("SERVER list --index INDEX >&-", 0, ""),
        ("SERVER search caches --index INDEX >&-", 0, ""),
        ("INGEST CONTENT --index INDEX <&- 2>&-", 0, ""),
        ("SERVER --index INDEX <&-", 0, ""),
        ("SERVER --index INDEX </dev/null >&-", 0, ""),
        ("SERVER list --index INDEX >/dev/full", 1, "No space"),
        ("SERVER search caches --json --index INDEX >/dev/full", 1, "No space"),
        ("mkdir gone; cd gone; rmdir ../gone; SERVER search caches", 1, "No such file"),
    ],
)
def test_streams_that_are_closed_or_full_and_a_folder_that_is_gone_end_in_a_sentence(
    tmp_path: Path, line: str, status: int, words: str
) -> None:
    blog = front.made(tmp_path, {"a.md": "A cache keeps what was read.\n"})
    line = line.replace("CONTENT", str(blog.content)).replace("INDEX", str(blog.index))
    ran = shell(f"cd {tmp_path}; {line}")
    assert (ran.returncode, words in ran.stderr, "Traceback" in ran.stderr) == (status, True, False)
