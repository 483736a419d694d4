"""The design under test: which way imports run, and who may look at the environment."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGES = ("ingest", "index", "server")
FORBIDDEN = {
    "index": {"ingest", "server", "markdown_it", "mcp"},
    "ingest": {
        "server",
        "mcp",
        "blog_search_mcp.index.search.search",
        "blog_search_mcp.index.search.ranking",
        "blog_search_mcp.index.reader",
    },
    "server": {"ingest", "markdown_it"},
}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports_of(code: str) -> set[str]:
    """Every module named in `code`, with the packages above it, wherever the import stands."""
    return {outer for name in named_imports(code) for outer in (name, *parents(name))}


def named_imports(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def reads_environment(code: str) -> bool:
    names = {"environ", "environb", "getenv", "getenvb"}
    return bool(names & (attributes_read(code) | from_os(code)))


def attributes_read(code: str) -> set[str]:
    """Names of attributes, but for those that an item is assigned to."""
    nodes = list(ast.walk(ast.parse(code)))
    written = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    }
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if id(node) not in written}


def from_os(code: str) -> set[str]:
    return {name.removeprefix("os.") for name in named_imports(code) if name.startswith("os.")}


def test_an_import_is_seen_inside_a_function_and_below_type_checking() -> None:
    code = "if TYPE_CHECKING:\n    import a.b\ndef f():\n    from c.d import e\n"
    assert imports_of(code) == {"a", "a.b", "c", "c.d", "c.d.e"}


@pytest.mark.parametrize(
    ("code", "reads"),
    [
        ("import os\nos.environ['A']", True),
        ("import os\nos.getenv('A')", True),
        ("from os import environ", True),
        ("import os\nos.environ['A'] = 'told to a library'", False),
        ("import os\nos.fsync(1)", False),
    ],
)
def test_a_look_at_the_environment_is_seen(code: str, reads: bool) -> None:
    assert reads_environment(code) is reads


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_from_ingest_and_server_to_index(package: str) -> None:
    against = {
        path.relative_to(ROOT).as_posix(): wrong
        for path in modules(package)
        if (wrong := imports_of(path.read_text(encoding="utf-8")) & FORBIDDEN[package])
    }
    assert against == {}


def test_one_module_of_the_server_alone_starts_an_ingest() -> None:
    starters = {
        path.relative_to(ROOT).as_posix()
        for path in modules("server")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and node.value in {"ingest", "blog_search_mcp.ingest.pipeline"}
    }
    assert starters == {"server/watch/reingest.py"}


def test_every_module_of_ours_that_is_forbidden_exists() -> None:
    ours = {name for names in FORBIDDEN.values() for name in names if name.startswith("index.")}
    assert {name for name in ours if (ROOT / f"{name.replace('.', '/')}.py").exists()} == ours


def test_nothing_below_a_command_line_reads_the_environment() -> None:
    readers = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in modules(package)
        if reads_environment(path.read_text(encoding="utf-8"))
    }
    assert readers == {"ingest/__main__.py", "server/__main__.py"}


def test_the_dependencies_are_what_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {requirement.partition(">=")[0] for requirement in project["dependencies"]}
    assert distributions_imported() == declared


def distributions_imported() -> set[str]:
    imported = {
        name.partition(".")[0]
        for package in PACKAGES
        for path in modules(package)
        for name in named_imports(path.read_text(encoding="utf-8"))
    }
    foreign = imported - set(sys.stdlib_module_names) - set(PACKAGES)
    of_module = packages_distributions()
    return {of_module[name][0].lower() for name in foreign}
