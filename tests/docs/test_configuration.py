"""docs/configuration.md and the command lines say the same."""

from __future__ import annotations

import argparse
import re
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import PACKAGE
from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.ollama.host import DEFAULT_PORT
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.ingest.cli import make_parser as make_ingest_parser
from blog_search_mcp.server.cli.parser import make_parser as make_server_parser
from blog_search_mcp.server.http.settings import DEFAULT_ADDRESS
from blog_search_mcp.server.settings import CLIENTS
from tests.support.paths import ROOT
from tests.support.python import run_python

PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PARSERS = {"`blog-ingest CONTENT`": make_ingest_parser, "`blog-server`": make_server_parser}
ELSEWHERE = {
    "--document-prefix": "as the model's card says",
    "--query-prefix": "as the model's card says",
    "--model": f"`{DEFAULT_MODEL}`",
    "--embedder-url": f"`http://127.0.0.1:{DEFAULT_PORT}`",
    "--http": f"`{DEFAULT_ADDRESS}`",
    "--base-url": "the site's configuration",
    "--permalink": "the site's configuration",
    "--index": f"`{DEFAULT_FOLDER}`",
    "--content": "where the last ingest found them",
}
"""Defaults that are no value of argparse's."""
COMMON = ("`--index`", "`--embedder-url`", "`--content`")
"""Options of nearly every command, said once."""
VARIABLES = ("BLOG_INDEX", "EMBEDDER_URL", "BLOG_USAGE_LOG")
"""Those that are an option's default; the token is read for itself."""


def rows(heading: str, first: str) -> list[list[str]]:
    """Give the cells of the table under a heading whose first column is called so."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", section, re.MULTILINE)
    assert table is not None, f"no table of {first} under {heading}"
    lines = table[1].replace(r"\|", "\0").splitlines()
    return [[cell.strip().replace("\0", "|") for cell in row[1:-1].split("|")] for row in lines]


def options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if action.option_strings
        and not isinstance(action, argparse._HelpAction)
        and action.help is not argparse.SUPPRESS
    ]


def shown(action: argparse.Action) -> str:
    name = action.option_strings[0]
    if action.nargs == 0:
        return f"`{name}`"
    value = "|".join(action.choices) if action.choices else action.metavar or action.dest.upper()
    return f"`{name} [{value}]`" if action.nargs == "?" else f"`{name} {value}`"


def default(action: argparse.Action) -> str:
    if action.nargs == 0:
        return "off"
    value = f"`{action.default}`" if action.default else "–"
    return ELSEWHERE.get(action.option_strings[0], value)


def variable(program: str, action: argparse.Action) -> str:
    """Give the variable that the option's default comes from, as the parser itself behaves."""
    if action.dest == "token_file":
        return "`BLOG_SERVER_TOKEN`"
    read = [
        name
        for name in VARIABLES
        if PARSERS[program]({name: "x"}).get_default(action.dest) != action.default
    ]
    return f"`{read[0]}`" if read else "–"


def commands() -> dict[str, argparse.ArgumentParser]:
    [found] = [
        action
        for action in make_server_parser({})._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    return dict(found.choices)


@pytest.mark.parametrize("program", PARSERS)
def test_each_option_has_its_value_variable_and_default(program: str) -> None:
    assert [row[:3] for row in rows(program, "option")] == [
        [shown(action), variable(program, action), default(action)]
        for action in options(PARSERS[program]({}))
    ]


def test_each_command_has_its_options() -> None:
    written = {}
    for name, parser in commands().items():
        [argument] = [
            action.metavar or action.dest.upper()
            for action in parser._actions
            if not action.option_strings
        ] or [""]
        names = [f"`{action.option_strings[0]}`" for action in options(parser)]
        if set(COMMON) <= set(names):
            names = [each for each in names if each not in COMMON] or ["–"]
        written[f"`{name} {argument}`".replace(" `", "`")] = ", ".join(names)
    assert {row[0]: row[1] for row in rows("`blog-server`", "command")} == written
    assert f"its own and {', '.join(COMMON)};" in PAGE


def test_the_servers_other_names_start_it_in_any_folder(tmp_path: Path) -> None:
    sentence = re.search(r"^Also `([a-z-]+)` and `python -m ([\w.]+)`\.", PAGE, re.MULTILINE)
    assert sentence is not None
    script, module = sentence.groups()
    [entry_point] = entry_points(group="console_scripts", name=script)
    assert entry_point.module == f"{module}.__main__"
    ran = run_python("-m", module, "--version", cwd=tmp_path)
    assert (ran.stderr, ran.stdout) == ("", f"{PACKAGE} {version(PACKAGE)}\n")


def test_the_clients_are_named() -> None:
    sentence = re.search(r"^CLIENT is (.*?)\. ", PAGE, re.MULTILINE)
    assert sentence is not None
    assert re.findall(r"`([a-z-]+)`", sentence[1]) == list(CLIENTS)


def test_every_variable_that_is_read_is_on_the_page() -> None:
    code = "".join(
        path.read_text(encoding="utf-8")
        for package in ("index", "ingest", "server")
        for path in (ROOT / package).rglob("*.py")
    )
    read = set(re.findall(r'environment\.get\(\s*"([A-Z_]+)"', code))
    read |= set(
        re.findall(r'^(?:KEY_VARIABLE|TOKEN)(?:: Final)? = "([A-Z_]+)"', code, re.MULTILINE)
    )
    assert read == {
        name
        for row in rows("Environment", "variable")
        for name in re.findall(r"`([A-Z_]+)`", row[0])
    }


def test_every_variable_of_make_is_on_the_page() -> None:
    given = re.findall(r"^([A-Z]+) \?= ?(.*)$", MAKEFILE, re.MULTILINE)
    expected = {f"`{name}`": f"`{value}`" if value else "–" for name, value in given}
    expected["`Q`"] = "–"
    assert {row[0]: row[1] for row in rows("`make`", "variable")} == expected
