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
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = {
    *("setup", "ingest", "rebuild", "serve", "ask"),
    *("test", "test-all", "coverage", "browser", "clients", "conformance"),
    *("eval", "eval-author", "reliability"),
    *("bench", "pictures", "bundle", "check", "format", "clean"),
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WORDS_A_MINUTE = 250
"""What an adult reads of plain text."""
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


def test_make_alone_lists_every_target() -> None:
    listed = re.findall(r"^make ([\w-]+) +\S", run("make", "--no-print-directory"), re.MULTILINE)
    phony = re.search(r"^\.PHONY: (help .*)$", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert listed == phony[1].split()
    assert set(listed) == {"help", *TARGETS}


def test_every_make_command_in_the_readme_is_a_target() -> None:
    named = {match[1] for line in code() if (match := re.match(r"make ([a-z-]+)", line))}
    assert named <= TARGETS
    assert {"ask", "test"} <= named


def test_every_option_in_the_readme_is_one_of_ours() -> None:
    ours = (f"blog_search_mcp {name}" for name in ("ingest", "serve", "install", "search", "setup"))
    programs = (*ours, "blog_search_mcp", "benchmarks.quality", "benchmarks.quality.dev_blogs")
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


def test_the_readme_can_be_read_in_three_minutes() -> None:
    prose = re.sub(r"^```.*?^```$|^\|.*$|\]\([^)]*\)", " ", README, flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"\w[\w'.-]*", prose)) < 3 * WORDS_A_MINUTE


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.name))
def test_every_linked_file_and_heading_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!\w+:)([^)\s]+)\)", without_code(text))
    assert [link for link in links if not leads_somewhere(page, link)] == []


def test_every_pin_is_an_exact_version() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    exact = re.compile(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*( ; \w+ (?:==|<|>=) '[\w.]+')?")
    assert [pin for pin in pins if not exact.fullmatch(pin)] == []


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


def test_make_serve_ingests_and_serves_over_http(checkout: Path) -> None:
    said = run("make", "--no-print-directory", "serve", cwd=checkout)
    ingested = ["blog-search-mcp", "ingest", "content", "--index", ".blog-index"]
    served = ["blog-search-mcp", "serve", "--index", ".blog-index", "--http"]
    assert said.splitlines() == [*ingested, *served]


def test_make_eval_measures_the_posts_with_the_options_given(checkout: Path) -> None:
    given = ("CONTENT=my posts", "EVAL=--limit 50 --json")
    said = run("make", "--no-print-directory", "eval", *given, cwd=checkout)
    module = ["python", "-m", "benchmarks.quality", "my posts"]
    assert said.splitlines() == [*module, "--limit", "50", "--json"]


def test_make_ask_without_a_question_says_what_to_type(checkout: Path) -> None:
    done = subprocess.run(["make", "ask"], cwd=checkout, capture_output=True, encoding="utf-8")
    assert done.returncode != 0
    assert 'make ask Q="what is a KV cache?"' in done.stderr


def test_an_old_python_is_refused_in_a_sentence(checkout: Path) -> None:
    (checkout / ".venv" / "product").unlink()
    done = subprocess.run(
        ["make", "setup", "PYTHON=false"], cwd=checkout, capture_output=True, encoding="utf-8"
    )
    assert done.returncode != 0
    assert "false is missing or older than Python 3.11." in done.stderr
    assert not (checkout / ".venv" / "product").exists()
