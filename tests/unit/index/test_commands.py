"""Commands in sentences: on the terminal what can be pasted, for clients what has no path."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from blog_search_mcp.index import commands
from blog_search_mcp.index.commands import (
    PACKAGE,
    TO_INGEST,
    Blog,
    command,
    complete_commands,
    start_words,
)

Place = Callable[..., None]


def in_bin(folder: Path, *names: str) -> Path:
    """Make empty programs in the `bin` of an environment; return its Python."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python3.12", *names):
        (folder / "bin" / name).touch(mode=0o755)
    return folder / "bin" / "python3.12"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    """Lets the process run by another Python, with a PATH and an origin."""

    def placed(python: Path, path: object = "", source: str = "") -> None:
        monkeypatch.setattr(sys, "executable", str(python))
        monkeypatch.setattr(sys, "prefix", str(python.parents[1]))
        monkeypatch.setenv("PATH", str(path))
        monkeypatch.setattr(commands, "_source", lambda: source)

    return placed


def said_to_a_client() -> str:
    return complete_commands(f"`{PACKAGE} doctor`").strip("`").removesuffix(" doctor")


@pytest.mark.parametrize("kind", [".venv", f"pipx/venvs/{PACKAGE}", f"uv/tools/{PACKAGE}"])
def test_a_lasting_environment_has_a_script_with_a_path(
    tmp_path: Path, kind: str, place: Place
) -> None:
    place(in_bin(tmp_path / kind, PACKAGE))
    script = str(tmp_path / kind / "bin" / PACKAGE)
    assert (start_words(), command(), said_to_a_client()) == ((script,), script, PACKAGE)


def test_a_script_that_the_shell_finds_goes_by_its_name(tmp_path: Path, place: Place) -> None:
    python = in_bin(tmp_path / "venvs", PACKAGE)
    linked = tmp_path / "local"
    linked.mkdir()
    (linked / PACKAGE).symlink_to(python.with_name(PACKAGE))
    place(python, linked)
    assert command("doctor") == f"{PACKAGE} doctor"
    place(python, in_bin(tmp_path / "another", PACKAGE).parent)
    assert command() == str(python.with_name(PACKAGE))


def test_the_script_of_windows_has_an_ending(tmp_path: Path, place: Place) -> None:
    python = in_bin(tmp_path, f"{PACKAGE}.exe")
    place(python)
    assert start_words() == (str(python.with_name(f"{PACKAGE}.exe")),)


def test_without_a_script_python_runs_the_module(tmp_path: Path, place: Place) -> None:
    python = in_bin(tmp_path)
    place(python)
    assert start_words() == (str(python), "-m", "blog_search_mcp")
    assert command() == f"{python} -m blog_search_mcp"
    assert said_to_a_client() == f"{python.name} -m blog_search_mcp"


def test_after_uvx_commands_go_through_uvx_and_an_entry_names_where_it_is(
    tmp_path: Path, place: Place
) -> None:
    uvx = in_bin(tmp_path, "uvx").with_name("uvx")
    python = Path("/home/me/.cache/uv/archive-v0/DCYF7L2hSOZMqIZq/bin/python")
    through_uvx = f"uvx --from {PACKAGE} {PACKAGE}"
    place(python, uvx.parent, PACKAGE)
    assert command() == said_to_a_client() == through_uvx
    assert start_words() == (str(uvx), "--from", PACKAGE, PACKAGE)
    place(python, uvx.parent, "/x/our.whl")
    assert start_words() == (str(uvx), "--from", "/x/our.whl", PACKAGE)
    assert said_to_a_client() == through_uvx


def test_after_pipx_run_commands_go_through_pipx_run(place: Place) -> None:
    source = "git+https://github.com/a/b"
    place(Path("/home/me/.cache/pipx/6f2c9bbce030962/bin/python"), source=source)
    assert command() == f"pipx run --spec {source} {PACKAGE}"


def test_a_command_is_quoted_for_the_systems_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("/my posts", "it's").endswith(" '/my posts' 'it'\"'\"'s'")
    monkeypatch.setattr(sys, "platform", "win32")
    assert command("/my posts", "it's").endswith(' "/my posts" it\'s')


def test_on_the_terminal_a_sentence_names_the_blogs_folders_and_options() -> None:
    blog = Blog("/my blog/.index", "/posts", ("--include-drafts",))
    said = f"For it `ollama pull m`, then `{TO_INGEST} --rebuild --model m`."
    pasted = command(
        *("ingest", "/posts", "--index", "/my blog/.index"),
        *("--rebuild", "--model", "m", "--include-drafts"),
    )
    assert complete_commands(said, blog) == f"For it `ollama pull m`, then `{pasted}`."
    doctor = complete_commands(f"See `{PACKAGE} doctor --index INDEX`.", blog)
    assert doctor == f"See `{command('doctor', '--index', '/my blog/.index')}`."


@pytest.mark.parametrize("bin_", ["venv/bin", "uv/archive-v0/x/bin"])
def test_a_sentence_for_a_client_names_no_folder_and_a_person_s_is_made_of_it(
    bin_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / bin_))
    said = complete_commands(f"Make one: `{TO_INGEST}`.")
    assert TO_INGEST in said
    assert str(tmp_path) not in said
    blog = Blog("/i", "/p")
    assert complete_commands(said, blog) == complete_commands(f"Make one: `{TO_INGEST}`.", blog)


def test_other_words_in_backticks_stay() -> None:
    said = f"`ollama serve` or `{PACKAGE}` and `my-{PACKAGE} x`; a {PACKAGE} y `z`."
    assert complete_commands(said, Blog("/i")) == said
