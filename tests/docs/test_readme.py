"""What the README names exists, what exists is in it, and its commands do what it says."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.server.cli.client_settings import CLIENTS
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CLIENT_PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not anchor:
        return target.exists()
    prose = FENCE.sub("", target.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return anchor in {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.name))
def test_every_linked_file_and_heading_is_there(page: Path) -> None:
    text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    links = re.findall(r"\]\((?!\w+:)([^)\s]+)\)", text)
    assert [link for link in links if not leads_somewhere(page, link)] == []


def test_every_command_and_option_of_ours_in_the_readme_is_there() -> None:
    commands = re.findall(r"blog-search-mcp ([a-z]+)([^`\n|]*)", README)
    assert commands
    for name, words in commands:
        command = program.commands[name]
        taken = {word for each in command.params for word in each.opts}
        if not isinstance(command, click.Group):
            assert set(re.findall(r"(?<!\S)--[a-z-]+", words)) <= taken, f"{name}{words}"


def test_the_client_entry_is_json_that_starts_the_server_by_an_absolute_path() -> None:
    [text] = re.findall(r"```json\n(.*?)```", CLIENT_PAGE, re.DOTALL)
    entry = json.loads(text)["mcpServers"]["blog"]
    assert entry["command"] == "/path/to/blog-search-mcp/.venv/bin/blog-search-mcp"
    assert entry["args"][0] == "serve"


def test_the_page_lists_exactly_the_clients_that_install_knows() -> None:
    table = re.search(r"^\| `install` \| client.*?\n\n", CLIENT_PAGE, re.DOTALL | re.MULTILINE)
    assert table is not None
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| ", table[0], re.M))
    assert listed == {"install": "client", **CLIENTS}


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/[a-z-]+\.md)\)", README))
    assert linked == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("question", ["什麼是 KV cache?", "--why's $HOME $(Q) $$ `id` \\n # ; ls"])
def test_make_ask_ingests_and_passes_the_question_on_as_typed(
    tmp_path: Path, question: str
) -> None:
    """In a folder as after `make setup`, whose programs print their name and arguments."""
    folder = tmp_path / "a checkout"
    (folder / ".venv" / "bin").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    for name in ("blog-search-mcp", "python"):
        program = folder / ".venv" / "bin" / name
        program.write_text(f"#!/bin/sh\nprintf '%s\\n' {name} \"$@\"\n")
        program.chmod(0o755)
    for stamp in ("product", "installed"):
        (folder / ".venv" / stamp).touch()
    words = ["make", "--no-print-directory", "ask", f"Q={question}", "CONTENT=my posts", "INDEX=i"]
    said = subprocess.run(words, cwd=folder, capture_output=True, check=True, encoding="utf-8")
    ingested = ["blog-search-mcp", "ingest", "my posts", "--index", "i"]
    asked = ["blog-search-mcp", "ask", "--index", "i", "--", question]
    assert said.stdout.splitlines() == ingested + asked
