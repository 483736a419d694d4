"""The command line `blog-search-mcp`; each command is imported when it is run or listed."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click

from blog_search_mcp.index.commands import PACKAGE, command

_SERVER = "blog_search_mcp.server.cli.commands"
SECTIONS = {
    "Begin": {
        "setup": f"{_SERVER}:setup",
        "ingest": "blog_search_mcp.ingest.cli:ingest",
        "serve": f"{_SERVER}:serve",
    },
    "Ask in the terminal": {
        "search": f"{_SERVER}:search",
        "ask": f"{_SERVER}:ask",
        "read": f"{_SERVER}:read",
        "list": f"{_SERVER}:list_posts",
    },
    "Clients, and what is wrong": {
        "install": f"{_SERVER}:install",
        "uninstall": f"{_SERVER}:uninstall",
        "doctor": f"{_SERVER}:doctor",
    },
    "For authors": {"author": "blog_search_mcp.server.cli.author.commands:author"},
}
"""The commands by the headings of the help, each with its module and its name there."""
_PLACES = {name: place for commands in SECTIONS.values() for name, place in commands.items()}


class LazyGroup(click.Group):
    """The group of all commands, which knows them by name until one is needed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Serve where no command is named, but for a person who types nothing print the help."""
        own = {name for option in self.get_params(ctx) for name in option.opts}
        if not args and sys.stdin is not None and sys.stdin.isatty():
            args = [*ctx.help_option_names]
        elif not args or (args[0].startswith("-") and args[0] not in own):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; a folder in its place is answered with what it is meant for."""
        if cmd_name in _PLACES:
            module, _, name = _PLACES[cmd_name].partition(":")
            found: click.Command = getattr(import_module(module), name)
            return found
        if _is_folder(cmd_name):
            setup = command("setup", cmd_name)
            advice = f"To index its posts and tell a client of them: `{setup}`"
            ctx.fail(f"{cmd_name!r} is a folder. {advice}.")
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands below their headings."""
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                commands = ((name, self.get_command(ctx, name)) for name in names)
                formatter.write_dl(
                    [(name, found.get_short_help_str(100)) for name, found in commands if found]
                )


def _is_folder(text: str) -> bool:
    try:
        return Path(text).is_dir()
    except OSError:  # a name too long for one
        return False


def _print_version(ctx: click.Context, _option: click.Parameter, is_given: bool) -> None:
    if is_given:
        click.echo(f"{PACKAGE} {version(PACKAGE)}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    commands={name: click.Command(name) for name in _PLACES},
    epilog=f"""\b
Examples:
  {PACKAGE} setup ~/blog/posts
  {PACKAGE} search "what is a KV cache?"
  {PACKAGE} author similar draft.md

Without a command it serves an MCP client over stdin and stdout. `COMMAND --help` has the options.
Exit status: 0 done, 1 not done or nothing found, 2 wrong usage.""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def program() -> None:
    """Search and read a folder of Markdown posts, in the terminal and from any MCP client."""
