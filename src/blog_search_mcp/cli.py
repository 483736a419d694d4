"""The command line `blog-search-mcp`: every command, in the order in which a newcomer needs it."""

from __future__ import annotations

import click

from blog_search_mcp.index.commands import PACKAGE
from blog_search_mcp.ingest.cli import ingest
from blog_search_mcp.server.cli import commands
from blog_search_mcp.server.cli.author import author

program = commands.Program(
    PACKAGE,
    commands=[
        *(commands.setup, ingest, commands.serve),
        *(commands.search, commands.ask, commands.read, commands.list_posts),
        *(commands.install, commands.uninstall, commands.doctor, author),
    ],
    help="Search and read a folder of Markdown posts, in the terminal and from any MCP client.",
    epilog=f"""\b
Examples:
  {PACKAGE} setup ~/blog/posts
  {PACKAGE} search "what is a KV cache?"
  {PACKAGE} author similar draft.md

Without a command it serves an MCP client over stdin and stdout. `COMMAND --help` has the options.
Exit status: 0 done, 1 not done or nothing found, 2 wrong usage.""",
)
click.version_option(package_name=PACKAGE, message="%(package)s %(version)s")(program)
