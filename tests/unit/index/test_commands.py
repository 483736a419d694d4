"""Commands in sentences: on the terminal what can be pasted, for clients what has no path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import (
    PACKAGE,
    TO_INGEST,
    Blog,
    Installation,
    command,
    complete_commands,
    find_installation,
)

UV_CACHE = Path("/home/me/.cache/uv/archive-v0/DCYF7L2hSOZMqIZq")
PIPX_CACHE = Path("/home/me/.cache/pipx/6f2c9bbce030962")


def in_bin(folder: Path, *names: str) -> Path:
    """Make empty programs in the `bin` of an environment; return its Python."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python3.12", *names):
        (folder / "bin" / name).touch(mode=0o755)
    return folder / "bin" / "python3.12"


def found(python: Path, path: str = "", source: str = "", uv: str = "") -> Installation:
    environment = {"PATH": path, "UV": uv}
    return find_installation(python, python.parents[1], environment, lambda: source)


@pytest.mark.parametrize(
    "kind", [".venv", "pipx/venvs/blog-search-mcp", "uv/tools/blog-search-mcp"]
)
def test_a_lasting_environment_has_a_script_with_a_path(tmp_path: Path, kind: str) -> None:
    here = found(in_bin(tmp_path / kind, PACKAGE))
    script = str(tmp_path / kind / "bin" / PACKAGE)
    assert here.start() == here.start_in_shell() == (script,)
    assert here.start_without_paths() == (PACKAGE,)


def test_a_script_that_the_shell_finds_goes_by_its_name(tmp_path: Path) -> None:
    python = in_bin(tmp_path / "venvs", PACKAGE)
    linked = tmp_path / "local"
    linked.mkdir()
    (linked / PACKAGE).symlink_to(python.with_name(PACKAGE))
    assert found(python, str(linked)).start_in_shell() == (PACKAGE,)
    in_bin(tmp_path / "another", PACKAGE)
    other = found(python, str(tmp_path / "another" / "bin"))
    assert other.start_in_shell() == (str(python.with_name(PACKAGE)),)


def test_the_script_of_windows_has_an_ending(tmp_path: Path) -> None:
    python = in_bin(tmp_path, f"{PACKAGE}.exe")
    assert found(python).start() == (str(python.with_name(f"{PACKAGE}.exe")),)


def test_without_a_script_python_runs_the_module(tmp_path: Path) -> None:
    python = in_bin(tmp_path)
    here = found(python)
    assert here.start() == here.start_in_shell() == (str(python), "-m", "blog_search_mcp")
    assert here.start_without_paths() == (python.name, "-m", "blog_search_mcp")


def test_after_uvx_commands_go_through_uvx_and_an_entry_names_where_it_is(tmp_path: Path) -> None:
    uvx = in_bin(tmp_path, "uvx").with_name("uvx")
    words = ("--from", PACKAGE, PACKAGE)
    here = found(UV_CACHE / "bin/python", str(uvx.parent), PACKAGE)
    assert here.start_in_shell() == here.start_without_paths() == ("uvx", *words)
    assert here.start() == (str(uvx), *words)
    hidden = found(UV_CACHE / "bin/python", "", "/x/our.whl", uv=str(uvx.with_name("uv")))
    assert hidden.start() == (str(uvx), "--from", "/x/our.whl", PACKAGE)
    assert hidden.start_without_paths() == ("uvx", *words)


def test_after_pipx_run_commands_go_through_pipx_run() -> None:
    source = "git+https://github.com/a/b"
    here = found(PIPX_CACHE / "bin/python", source=source)
    assert here.start_in_shell() == ("pipx", "run", "--spec", source, PACKAGE)


def test_a_command_is_quoted_for_the_systems_shell() -> None:
    words = (PACKAGE, "/my posts", "it's")
    python = Path("python")
    assert Installation(python).write(words) == f"{PACKAGE} '/my posts' 'it'\"'\"'s'"
    assert Installation(python, system="win32").write(words) == f'{PACKAGE} "/my posts" it\'s'


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
