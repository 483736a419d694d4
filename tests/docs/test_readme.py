"""What the README names exists, what exists is in it, and its commands do what it says."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.server.settings import CLIENTS
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OTHERS = ("docker ", "pipx ", "uvx ")
"""Programs with options of their own, before ours are named."""
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def code() -> list[str]:
    """The README's fenced lines and inline code."""
    fences = re.findall(r"^```\w*\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", README, flags=re.S | re.M))
    return [line for fence in fences for line in fence.splitlines()] + spans


def without_code(text: str) -> str:
    return re.sub(r"^(`{3,}).*?^\1$|`[^`\n]+`", "", text, flags=re.DOTALL | re.MULTILINE)


def headings(text: str, level: str = "#+") -> list[str]:
    prose = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(rf"^{level} (.+)$", prose, re.MULTILINE)


def slug(heading: str) -> str:
    """Make the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not anchor:
        return target.exists()
    return anchor in map(slug, headings(target.read_text(encoding="utf-8")))


def run(*command: str, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def options_of(program: str) -> set[str]:
    said = run(sys.executable, "-m", *program.split(), "--help")
    return set(OPTION.findall(said)) - {"--help"}


def test_every_option_in_the_readme_is_one_of_ours() -> None:
    ours = (f"blog_search_mcp {name}" for name in ("ingest", "serve", "install", "search", "setup"))
    programs = (*ours, "blog_search_mcp", "benchmarks.quality")
    known = set().union(*map(options_of, programs))
    lines = [line.partition(" blog-")[2] if line.startswith(OTHERS) else line for line in code()]
    assert {option for line in lines for option in OPTION.findall(line)} <= known


def test_the_client_entry_is_json_that_starts_the_server_by_an_absolute_path() -> None:
    entries = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", README, re.DOTALL)]
    servers: list[dict[str, Any]] = [entry["mcpServers"]["blog"] for entry in entries]
    commands = [server["command"] for server in servers]
    assert commands == ["/path/to/blog-search-mcp/.venv/bin/blog-search-mcp"]
    assert servers[0]["args"][0] == "serve"
    assert servers[0]["args"][1] in options_of("blog_search_mcp serve")


def test_the_readme_lists_exactly_the_clients_that_install_knows() -> None:
    table = re.search(r"^\| `install` \| client.*?\n\n", README, re.DOTALL | re.MULTILINE)
    assert table is not None
    assert dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| ", table[0], re.M)) == {
        "install": "client",
        **CLIENTS,
    }


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/[a-z-]+\.md)\)", README))
    assert linked == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.name))
def test_every_linked_file_and_heading_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!\w+:)([^)\s]+)\)", without_code(text))
    assert [link for link in links if not leads_somewhere(page, link)] == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder as after `make setup`, whose programs print their name and arguments."""
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
    return folder


@pytest.mark.parametrize(
    "question",
    ["what is a KV cache?", "什麼是 KV cache?", '--why\'s $HOME $(Q) $$ `id` "so" \\n # dear; ls'],
)
def test_make_ask_ingests_and_passes_the_question_on_as_typed(
    checkout: Path, question: str
) -> None:
    folders = ("CONTENT=my posts", "INDEX=my index")
    said = run("make", "--no-print-directory", "ask", f"Q={question}", *folders, cwd=checkout)
    ingested = ["blog-search-mcp", "ingest", "my posts", "--index", "my index"]
    asked = ["blog-search-mcp", "ask", "--index", "my index", "--", question]
    assert said.splitlines() == ingested + asked
