"""Commands in messages: on the terminal what can be pasted, for clients what has no path."""

import pickle
import sys
from pathlib import Path

import pytest

from blog_search_mcp.index import invocation as commands
from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.invocation import (
    PACKAGE,
    TO_REBUILD,
    Blog,
    Invocation,
    command,
    join_sentences,
    start_words,
)


def run_by(
    monkeypatch: pytest.MonkeyPatch, python: Path, path: object = "", source: str = PACKAGE
) -> None:
    """Let the process run by another Python, with a PATH and an origin."""
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(sys, "prefix", str(python.parents[1]))
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr(commands, "_source", lambda: source)


def in_bin(folder: Path, *names: str) -> Path:
    """Make empty programs in the `bin` of an environment; return its Python."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python3.12", *names):
        (folder / "bin" / name).touch(mode=0o755)
    return folder / "bin" / "python3.12"


def said_to_a_client() -> str:
    return str(Invocation(("doctor",))).removesuffix(" doctor")


@pytest.mark.parametrize("kind", [".venv", f"pipx/venvs/{PACKAGE}", f"uv/tools/{PACKAGE}"])
def test_a_lasting_environment_has_a_script_which_may_be_on_the_path(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = in_bin(tmp_path / kind, PACKAGE)
    script = python.with_name(PACKAGE)
    run_by(monkeypatch, python)
    assert (start_words(), command(), said_to_a_client()) == ((str(script),), str(script), PACKAGE)
    (tmp_path / PACKAGE).symlink_to(script)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command("doctor") == f"{PACKAGE} doctor"
    monkeypatch.setenv("PATH", str(in_bin(tmp_path / "another", PACKAGE).parent))
    assert command() == str(script)


def test_without_a_script_python_runs_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = in_bin(tmp_path)
    run_by(monkeypatch, python)
    assert start_words() == (str(python), "-m", "blog_search_mcp")
    assert command() == f"{python} -m blog_search_mcp"
    assert said_to_a_client() == f"{python.name} -m blog_search_mcp"


@pytest.mark.parametrize(
    ("place", "source", "words"),
    [
        (".cache/uv/archive-v0/DCYF7L2hSOZMqIZq", PACKAGE, ("uvx", "--from")),
        (".cache/uv/environments-v2/x", "/x/our.whl", ("uvx", "--from")),
        (".cache/pipx/6f2c9bbce0", "git+https://github.com/a/b", ("pipx", "run", "--spec")),
    ],
)
def test_in_an_environment_that_will_go_commands_go_through_what_made_it(
    tmp_path: Path, place: str, source: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = in_bin(tmp_path, words[0]).with_name(words[0])
    run_by(monkeypatch, tmp_path / place / "bin" / "python", runner.parent, source)
    assert start_words() == (str(runner), *words[1:], source, PACKAGE)
    assert command() == " ".join((*words, source, PACKAGE))
    named = PACKAGE if source.startswith("/") else source
    assert said_to_a_client() == " ".join((*words, named, PACKAGE))


def test_a_command_is_quoted_for_the_systems_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("/my posts", "it's").endswith(" '/my posts' 'it'\"'\"'s'")
    monkeypatch.setattr(sys, "platform", "win32")
    assert command("/my posts", "it's").endswith(' "/my posts" it\'s')


def test_a_message_is_for_clients_and_names_the_blogs_folders_on_the_terminal() -> None:
    blog, typed = Blog("/my blog/.index", "/posts"), f"`ollama pull m` or `{PACKAGE} ingest`, then "
    error = IndexBroken("It is torn.", (typed, TO_REBUILD, "."), for_clients="It is.")
    notice = join_sentences("", None, "Words alone:", error.message)
    assert notice == f"Words alone: It is torn. {typed}`{TO_REBUILD}`."
    assert error.for_clients == f"It is. {typed}`{PACKAGE} ingest --rebuild`."
    words = ("/posts", "--index", "/my blog/.index", "--rebuild")
    pasted = f"Words alone: It is torn. {typed}`{command('ingest', *words)}`."
    for message in (notice, pickle.loads(pickle.dumps(notice))):
        assert message.for_blog(blog) == pasted
