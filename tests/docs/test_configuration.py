"""docs/configuration.md and the command lines say the same."""

import re
from functools import partial
from pathlib import Path

import click
import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.embedders.endpoints import OLLAMA_PORT
from blog_search_mcp.index.invocation import PACKAGE
from blog_search_mcp.server.cli.client_settings import CLIENTS
from tests.support.pages import table_of
from tests.support.paths import ROOT
from tests.support.python import run_python

PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
rows = partial(table_of, PAGE)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ELSEWHERE = {
    "--model": "by language",
    "--embedder-url": f"`http://127.0.0.1:{OLLAMA_PORT}`",
    "--http": "off",
    "--base-url": "the site's configuration",
    "--permalink": "the site's configuration",
    "--index": "[by command](#commands)",
}
"""Defaults that are no value of an option's."""
COMMON = {"--index", "--embedder-url"}
"""Options of nearly every command, said once."""
COMMANDS = {name: each for name, each in program.commands.items() if name != "author"} | {
    f"author {name}": each
    for name, each in getattr(program.commands["author"], "commands", {}).items()
}


def options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def described(option: click.Option) -> list[str]:
    """The option with its value, its variable and its default, as the page has them."""
    name = option.opts[0]
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    value = "" if option.is_flag else f" {'|'.join(choices) or option.metavar}"
    envvar = option.envvar or (["BLOG_SERVER_TOKEN"] if name == "--token-file" else [])
    [variable, *_] = [envvar] if isinstance(envvar, str) else [*envvar, ""]
    default = "off" if option.is_flag else f"`{option.default}`" if choices else "–"
    return [f"`{name}{value}`", f"`{variable}`" if variable else "–", ELSEWHERE.get(name, default)]


@pytest.mark.parametrize("name", ["ingest", "serve"])
def test_each_option_has_its_value_variable_and_default(name: str) -> None:
    written = sorted(row[:3] for row in rows(f"`{name}`", "option"))
    assert written == sorted(map(described, options(COMMANDS[name])))


def test_each_command_has_its_arguments_and_options() -> None:
    written = {row[0]: row[1] for row in rows("Commands", "command")}
    typed = {}
    for name, command in COMMANDS.items():
        context = click.Context(command)
        arguments = [each for each in command.params if isinstance(each, click.Argument)]
        words = (each.make_metavar(context).removesuffix("...") for each in arguments)
        typed[f"`{' '.join([name, *words])}`"] = {each.opts[0] for each in options(command)}
    assert written.keys() == typed.keys()
    for line, taken in typed.items():
        shown = set(re.findall(r"--[a-z-]+", written[line]))
        assert "below" in written[line] or shown == taken - (COMMON if taken >= COMMON else set())


def test_modules_start_it_in_any_folder(tmp_path: Path) -> None:
    for module in re.findall(r"`python -m ([\w.]+)`", PAGE):
        ran = run_python("-m", module, "--help", cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.startswith(f"Usage: {PACKAGE}")


def test_the_clients_are_named() -> None:
    sentence = re.search(r"^CLIENT is (.*?)\. ", PAGE, re.MULTILINE)
    assert sentence is not None
    assert re.findall(r"`([a-z-]+)`", sentence[1]) == list(CLIENTS)


def test_every_variable_that_is_read_is_on_the_page() -> None:
    paths = (path for name in ("index", "ingest", "server") for path in (ROOT / name).rglob("*.py"))
    code = "".join(path.read_text(encoding="utf-8") for path in paths)
    read = set(re.findall(r'environ(?:ment)?\.get\(\s*"([A-Z_]+)"', code))
    read |= set(
        re.findall(r'^(?:\w*KEY_VARIABLE|TOKEN)(?:: Final)? = "([A-Z_]+)"', code, re.MULTILINE)
    )
    for option in (option for command in COMMANDS.values() for option in options(command)):
        read |= {option.envvar} if isinstance(option.envvar, str) else set(option.envvar or ())
    cells = (row[0] for row in rows("Environment", "variable"))
    assert read == {name for cell in cells for name in re.findall(r"`([A-Z_]+)`", cell)}


def test_every_variable_of_make_is_on_the_page() -> None:
    given = re.findall(r"^([A-Z]+) \?= ?(.*)$", MAKEFILE, re.MULTILINE)
    expected = {f"`{name}`": f"`{value}`" if value else "–" for name, value in given}
    written = {row[0]: row[1] for row in rows("`make`", "variable")}
    assert written == expected | {"`Q`": "–"}
