"""The design under test: which way imports run, and who may look at the environment."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.support.paths import ROOT

LINE = ("index", "ingest", "server")
"""The rooms: each imports itself and those before it."""
PREFIX = "blog_search_mcp."
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for room in LINE
    for path in sorted((ROOT / room).rglob("*.py"))
}


def names_imported(path: Path) -> Iterator[str]:
    """Yield the full name of everything a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_of(name: str) -> str:
    """Return the module of the package that a name is or lies in, `""` if there is none."""
    name = name.removeprefix(PREFIX)
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def folder_of(module: str) -> str:
    """Return the folder of a room that a module lies in, or the module if it lies in none."""
    parts = module.split(".")
    is_folder = len(parts) > 2 or MODULES[module].name == "__init__.py"
    return ".".join(parts[:2]) if is_folder else module


IMPORTS = {
    module: {module_of(name) for name in names_imported(path) if name.startswith(PREFIX)}
    - {"", module}
    for module, path in MODULES.items()
}


def is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def test_imports_run_from_the_server_to_the_ingest_to_the_index() -> None:
    room = {module: LINE.index(module.split(".")[0]) for module in MODULES}
    assert [
        (module, target)
        for module, targets in IMPORTS.items()
        for target in targets
        if room[target] > room[module]
    ] == []


def test_no_module_and_no_folder_imports_itself_through_others() -> None:
    folders: dict[str, set[str]] = {}
    for module, targets in IMPORTS.items():
        folders.setdefault(folder_of(module), set()).update(map(folder_of, targets))
    TopologicalSorter(IMPORTS).prepare()
    TopologicalSorter({folder: to - {folder} for folder, to in folders.items()}).prepare()


@pytest.mark.parametrize(
    ("package", "never"),
    [
        ("ingest", ("index.reader", "index.search")),
        ("index.store", ("index.search", "index.vectors", "index.words", "index.embedders")),
        ("server.format", ("server.mcp", "server.http", "server.cli")),
    ],
)
def test_a_folder_does_not_import(package: str, never: tuple[str, ...]) -> None:
    assert [
        (module, target)
        for module, targets in IMPORTS.items()
        if is_below(module, package)
        for target in targets
        if any(is_below(target, other) for other in never)
    ] == []


def test_one_library_is_known_in_one_folder() -> None:
    engines = {
        "faiss": "index.vectors",
        "tantivy": "index.words",
        "markdown_it": "ingest.posts.markdown",
        "onnxruntime": "index.embedders",
        **dict.fromkeys(("mcp", "starlette", "uvicorn"), "server"),
    }
    assert [
        (library, module)
        for module, path in MODULES.items()
        for library in {name.split(".")[0] for name in names_imported(path)} & engines.keys()
        if not is_below(module, engines[library])
    ] == []


def test_the_environment_is_read_by_command_lines_and_for_a_key() -> None:
    """A key is read where it is sent, and taken out of servers' words, so no settings hold it.

    `ask` and entries hand it on to the server that they start.
    """
    used = re.compile(r"\bos\.(getenv|environ(?!\[[^]]+\] = ))|from os import .*environ")
    assert {
        module for module, path in MODULES.items() if used.search(path.read_text(encoding="utf-8"))
    } == {
        "server.cli.ingest_command",
        "server.cli.commands",
        "index.embedders.connection",
        "index.milvus.client",
        "index.milvus.store",
        "server.cli.ask",
        "server.cli.client_entries",
        "server.cli.client_settings",
    }


def test_the_dependencies_are_what_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [*project["dependencies"], *project["optional-dependencies"]["milvus"]]
    declared = {re.split(r"[><=;\s]", need)[0].lower() for need in needs}
    imported = {name.split(".")[0] for path in MODULES.values() for name in names_imported(path)}
    foreign = imported - set(sys.stdlib_module_names) - {"blog_search_mcp"}
    of_module = packages_distributions()
    assert {of_module.get(name, [name])[0].lower() for name in foreign} == declared
