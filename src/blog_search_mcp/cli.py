"""The command line `blog-search-mcp`, with its commands in the order a newcomer needs them."""

import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from blog_search_mcp.index.embedders.endpoints import resolve_ollama
from blog_search_mcp.index.invocation import PACKAGE, command
from blog_search_mcp.index.text.display import one_line
from blog_search_mcp.index.text.languages import primary_subtag
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.last_ingest import require_recorded
from blog_search_mcp.server.cli import commands
from blog_search_mcp.server.cli.author_commands import author
from blog_search_mcp.server.cli.client_entries import set_up_clients
from blog_search_mcp.server.cli.ingest_command import ingest_command
from blog_search_mcp.server.cli.options import make_command
from blog_search_mcp.server.cli.terminal import FAILED, print_error, print_text
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.settings import Settings, read_absolute


def read_posts(text: str) -> Path:
    """Return the folder of posts at a path or in the site at this path. Raises ValueError."""
    from blog_search_mcp.ingest.blog import find_posts_folder

    folder = read_absolute(text)
    if not folder.exists():
        near = find_posts_folder(folder.parent)
        if (near / folder.name).is_dir():  # SITE/posts may mean SITE/content/posts
            return near / folder.name
        if near != folder.parent:
            raise ValueError(f"{folder} is not there; the posts of this site are in {near}")
    return find_posts_folder(folder)


@make_command("setup", epilog=commands.CLIENTS_EPILOG)
@click.argument("watch", metavar="CONTENT", type=read_posts)
@commands.with_settings
def setup(settings: Settings, client: str | None, name: str, **options: Any) -> int:
    """Index posts or a site, and set up clients.

    CONTENT is a folder of posts or a whole site.
    """
    resolve_ollama(settings.embedder_url)  # an entry must not hold a password
    if settings.watch == Path.home():
        click.confirm("This is your home folder. Index every Markdown file in it?", abort=True)
    options |= {"index": settings.index, "embedder_url": settings.embedder_url}
    context, results = click.get_current_context(), list[tuple[int, str]]()
    if context.get_parameter_source("index") is ParameterSource.DEFAULT:
        require_recorded(settings.index, settings.watch or Path())

    def set_up() -> None:
        results.append(set_up_clients(settings, commands.find_clients_here(), client, name))

    status = context.invoke(ingest_command, content=settings.watch, on_searchable=set_up, **options)
    if not (status or results):
        set_up()
    if results:
        _suggest_steps(settings, results[0][1])
    return int(status or results[0][0])


_QUESTIONS = {
    "de": "Was schreibe ich über „{}“?",
    "es": "¿Qué escribí sobre «{}»?",
    "fr": "Qu’ai-je écrit sur « {} » ?",
    "ja": "「{}」について何を書いた？",
    "zh": "我寫過哪些關於「{}」的內容？",
}


def _suggest_steps(settings: Settings, titles: str) -> None:
    """Print the next steps: restart the client, ask a question this blog answers, or search.

    The question names the newest post whose title has a word, in the post's language or English.
    """
    snapshot = engine_for_one(settings, embeds=False).reader().snapshot
    newest = snapshot.catalog.list_posts(Filters(), "newest", 50, 0).page
    titled = [post for post in newest if re.search(r"[^\W\d_]{3}|[^\W\d_a-zA-Z]{2}", post.title)]
    post = next(iter(titled or newest))
    asked = _QUESTIONS.get(primary_subtag(post.language), "What did I write about “{}”?")
    title = one_line(post.title)
    place = ("--index", settings.index)
    if titles:
        print_text(f"Restart {titles}.")
    print_text(f"Ask {titles or 'the client'}: {asked.format(title)}")
    print_text(f"Or search here: {command('search', title, *place)}")


program = commands.Program(
    PACKAGE,
    commands=[
        *(setup, ingest_command, commands.serve, commands.print_hits, commands.ask_through_client),
        *(commands.print_passage, commands.print_posts, commands.install, commands.uninstall),
        *(commands.check_everything, author),
    ],
    help="Search and read a folder of Markdown posts, in the terminal and from any MCP client.",
    epilog=f"""\b
Examples:
  {PACKAGE} setup ~/blog/posts
  {PACKAGE} search "what is a KV cache?"
  {PACKAGE} author similar draft.md

`COMMAND --help` lists the options. Without arguments, it prints this help in a terminal, and serves
an MCP client elsewhere. Exit status: 0 done; 1 failed, no hit, or faults found; 2 wrong usage.""",
)
click.version_option(package_name=PACKAGE, message="%(package)s %(version)s")(program)


def run(words: Sequence[str]) -> int:
    """Run a command line and return its exit status. Wrong usage is reported on stderr."""
    try:
        return int(program.main([*words], PACKAGE, standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show(message := StringIO())
        print_error(message.getvalue().rstrip())
        return error.exit_code
    except click.Abort:  # a question was declined or not answered
        return FAILED
