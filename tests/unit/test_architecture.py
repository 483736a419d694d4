"""The design under test: which way imports run, and who may look at the environment."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

from tests.support.paths import ROOT

FOLDERS = ("ingest", "index", "server")
PREFIX = "blog_search_mcp."

Graph = Mapping[str, frozenset[str]]


@cache
def modules() -> Mapping[str, Path]:
    """Every module of the package by its name below it, such as `index.search.ranking`."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


@cache
def imported(path: Path, types_too: bool = True) -> frozenset[str]:
    """All that a file imports, by name."""
    return frozenset(named(ast.parse(path.read_text(encoding="utf-8")), types_too))


@cache
def imports(types_too: bool = True) -> Graph:
    """The modules of the package that each module names, wherever the import stands."""
    return {
        name: frozenset(
            known
            for found in imported(path, types_too)
            if found.startswith(PREFIX)
            and (known := module_of(found.removeprefix(PREFIX))) not in {None, name}
        )
        for name, path in modules().items()
    }


def module_of(name: str) -> str | None:
    """The module that `name` is, or is of."""
    while name and name not in modules():
        name = name.rpartition(".")[0]
    return name or None


def named(tree: ast.AST, types_too: bool) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif types_too or not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            yield from named(node, types_too)


def package_of(module: str) -> str:
    """The folder a module is a room of; a module beside the folders stands for itself."""
    parts = module.split(".")
    if len(parts) > 2 or modules()[module].name == "__init__.py":
        return ".".join(parts[:2])
    return "ingest" if parts[0] == "ingest" else module


def arrows() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, targets in imports().items():
        package = package_of(name)
        found.setdefault(package, set()).update({package_of(to) for to in targets} - {package})
    return {name: targets for name, targets in found.items() if targets}


def reached(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for name in graph[waiting.pop()] - seen:
            seen.add(name)
            waiting.append(name)
    return seen


def test_no_module_imports_itself_through_others() -> None:
    assert len(list(TopologicalSorter(imports()).static_order())) == len(modules())


def test_no_folder_imports_itself_through_others() -> None:
    TopologicalSorter(arrows()).prepare()


@pytest.mark.parametrize(
    ("start", "never"),
    [
        ("index", ("ingest", "server")),
        ("ingest", ("server", "index.reader")),
        ("server", ("ingest",)),
        ("index.writer", ("index.search",)),
        ("index.store", ("index.search", "index.vectors", "index.lexical", "index.embedders")),
        ("index.posts", ("index.store.catalog", "index.relations", "index.search")),
        ("ingest.sites", ("index.posts.chunks", "index.search")),
        ("server.settings", ("server.format", "server.tools", "server.protocol")),
        ("server.format", ("server.tools", "server.protocol")),
        ("server.tools", ("server.protocol", "server.stdio", "server.http", "server.cli")),
        ("server.protocol", ("server.stdio", "server.http", "server.cli")),
    ],
)
def test_nothing_against_the_flow_is_reached_through_any_chain_of_imports(
    start: str, never: tuple[str, ...]
) -> None:
    against = {
        (name, target)
        for name in modules()
        if is_below(name, start)
        for target in reached(imports(types_too=False), name)
        if any(is_below(target, banned) for banned in never)
    }
    assert against == set()


def test_the_write_side_does_not_import_search() -> None:
    importers = {
        name
        for name, targets in imports().items()
        if name.startswith("ingest") and any(is_below(to, "index.search") for to in targets)
    }
    assert importers == set()


def is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def top_level_imports(*folders: str) -> set[str]:
    paths = (path for name, path in modules().items() if name.split(".")[0] in folders)
    return {name.split(".")[0] for name in chain(*map(imported, paths))}


def test_one_library_is_known_in_one_folder() -> None:
    engines = {
        "faiss": "index.vectors",
        "tantivy": "index.lexical",
        "markdown_it": "index.posts.markdown",
        "onnxruntime": "index.embedders",
        **dict.fromkeys(("mcp", "starlette", "uvicorn"), "server"),
    }
    importers = {
        (library, name)
        for name, path in modules().items()
        for found in imported(path)
        if (library := found.split(".")[0]) in engines
    }
    assert {(lib, name) for lib, name in importers if not is_below(name, engines[lib])} == set()


def test_the_environment_is_read_by_command_lines_and_for_a_key() -> None:
    """A key is read where it is sent, and taken out of servers' words, so no settings hold it.

    `ask` and entries hand it on to the server that they start.
    """
    readers = {
        name
        for name, path in modules().items()
        if reads_environment(path.read_text(encoding="utf-8"))
    }
    assert readers == {
        "ingest.cli",
        "server.cli.commands",
        "index.embedders.client",
        "index.embedders.openai",
        "index.milvus.client",
        "index.milvus.store",
        "server.cli.ask",
        "server.cli.client_settings",
    }


def reads_environment(code: str) -> bool:
    """Whether the environment is used but for setting an item."""
    used = r"\bos\.(getenv|environ(?!\[[^]]+\] = ))|from os import .*environ"
    return re.search(used, code) is not None


def test_the_dependencies_are_what_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [*project["dependencies"], *project["optional-dependencies"]["milvus"]]
    declared = {re.split(r"[><=;\s]", need)[0].lower() for need in needs}
    foreign = top_level_imports(*FOLDERS) - set(sys.stdlib_module_names) - {"blog_search_mcp"}
    of_module = packages_distributions()
    assert {of_module.get(name, [name])[0].lower() for name in foreign} == declared
