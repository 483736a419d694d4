"""Commands in sentences: on the terminal what can be pasted, for clients what has no path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import (
    TO_INGEST,
    Blog,
    Installation,
    command,
    complete_commands,
    find_installation,
)

UV_CACHE = Path("/home/me/.cache/uv/archive-v0/DCYF7L2hSOZMqIZq")
PIPX_CACHE = Path("/home/me/.cache/pipx/6f2c9bbce030962")


def no_source() -> str:
    raise AssertionError("only a runner needs it")


def in_bin(folder: Path, *names: str) -> Path:
    """Make empty programs in the `bin` of an environment; return its Python."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python3.12", *names):
        (folder / "bin" / name).touch(mode=0o755)
    return folder / "bin" / "python3.12"


def found(python: Path, path: str = "", source: str = "") -> Installation:
    prefix = python.parents[1]
    return find_installation(
        python, prefix, {"PATH": path}, (lambda: source) if source else no_source
    )


@pytest.mark.parametrize(
    "kind", [".venv", "pipx/venvs/blog-search-mcp", "uv/tools/blog-search-mcp"]
)
def test_a_lasting_environment_has_scripts_with_paths(tmp_path: Path, kind: str) -> None:
    python = in_bin(tmp_path / kind, "blog-ingest")
    script = str(tmp_path / kind / "bin" / "blog-ingest")
    here = found(python)
    assert here.start("blog-ingest") == here.start_in_shell("blog-ingest") == (script,)
    assert here.start_without_paths("blog-ingest") == ("blog-ingest",)


def test_a_script_that_the_shell_finds_goes_by_its_name(tmp_path: Path) -> None:
    python = in_bin(tmp_path / "venvs", "blog-ingest")
    linked = tmp_path / "local"
    linked.mkdir()
    (linked / "blog-ingest").symlink_to(python.with_name("blog-ingest"))
    assert found(python, str(linked)).start_in_shell("blog-ingest") == ("blog-ingest",)
    in_bin(tmp_path / "another", "blog-ingest")
    other = found(python, str(tmp_path / "another" / "bin"))
    assert other.start_in_shell("blog-ingest") == (str(python.with_name("blog-ingest")),)


def test_the_script_of_windows_has_an_ending(tmp_path: Path) -> None:
    python = in_bin(tmp_path, "blog-server.exe")
    assert found(python).start("blog-server") == (str(python.with_name("blog-server.exe")),)


def test_without_scripts_python_runs_the_module(tmp_path: Path) -> None:
    here = found(in_bin(tmp_path))
    python = str(tmp_path / "bin" / "python3.12")
    assert here.start("blog-ingest") == (python, "-m", "blog_search_mcp.ingest")
    assert here.start_in_shell("blog-server") == (python, "-m", "blog_search_mcp.server")
    assert here.start_without_paths("blog-ingest")[1:] == ("-m", "blog_search_mcp.ingest")


def test_after_uvx_commands_go_through_uvx_and_an_entry_names_where_it_is(tmp_path: Path) -> None:
    uvx = in_bin(tmp_path, "uvx").with_name("uvx")
    source = "blog-search-mcp"
    here = find_installation(
        UV_CACHE / "bin/python", UV_CACHE, {"PATH": str(uvx.parent)}, lambda: source
    )
    words = ("--from", "blog-search-mcp", "blog-ingest")
    assert here.start_in_shell("blog-ingest") == ("uvx", *words)
    assert here.start_without_paths("blog-ingest") == ("uvx", *words)
    assert here.start("blog-ingest") == (str(uvx), *words)


def test_without_uvx_on_the_path_the_uv_that_ran_us_is_named() -> None:
    here = find_installation(
        UV_CACHE / "bin/python", UV_CACHE, {"PATH": "", "UV": sys.executable}, lambda: "/x/our.whl"
    )
    words = ("tool", "run", "--from", "/x/our.whl", "blog-server")
    assert here.start("blog-server") == (sys.executable, *words)
    assert here.start_without_paths("blog-server") == (
        *(Path(sys.executable).stem, "tool", "run", "--from"),
        *("blog-search-mcp", "blog-server"),
    )


def test_after_pipx_run_commands_go_through_pipx_run() -> None:
    here = found(PIPX_CACHE / "bin/python", source="git+https://github.com/a/b")
    assert here.start_in_shell("blog-ingest") == (
        *("pipx", "run", "--spec", "git+https://github.com/a/b"),
        "blog-ingest",
    )


def test_a_command_is_quoted_for_the_systems_shell() -> None:
    words = ("blog-ingest", "/my posts", "it's")
    python = Path("python")
    assert Installation(python).write(words) == "blog-ingest '/my posts' 'it'\"'\"'s'"
    assert Installation(python, system="win32").write(words) == 'blog-ingest "/my posts" it\'s'


def test_on_the_terminal_a_sentence_names_the_blogs_folders_and_options() -> None:
    blog = Blog("/my blog/.index", "/posts", ("--include-drafts",))
    said = f"For it `ollama pull m`, then `{TO_INGEST} --rebuild --model m`."
    pasted = command(
        "blog-ingest",
        *("/posts", "--index", "/my blog/.index", "--rebuild", "--model", "m", "--include-drafts"),
    )
    assert complete_commands(said, blog) == f"For it `ollama pull m`, then `{pasted}`."
    doctor = complete_commands("See `blog-server doctor --index INDEX`.", blog)
    assert doctor == f"See `{command('blog-server', 'doctor', '--index', '/my blog/.index')}`."


def test_for_a_client_a_sentence_names_no_folder() -> None:
    assert complete_commands(f"Make one: `{TO_INGEST}`.") == f"Make one: `{TO_INGEST}`."
    pasted = complete_commands(f"Rebuild: `{TO_INGEST} --rebuild`.", Blog("/my x/i", "/my x/p"))
    assert complete_commands(pasted) == f"Rebuild: `{TO_INGEST} --rebuild`."


def test_what_only_looks_like_a_command_breaks_nothing() -> None:
    assert complete_commands("No post `blog-ingest it's`.").startswith("No post `blog-ingest ")


def test_other_words_in_backticks_stay() -> None:
    said = "`ollama serve` or `blog-ingest` and ` blog-ingest x`; a blog-ingest y `z`."
    assert complete_commands(said, Blog("/i")) == said
