"""`blog-search-mcp search`: what it prints on a terminal and elsewhere, and how it ends."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.support.front import Blog, made
from tests.support.paths import ROOT
from tests.support.python import output_of

EVIL = "\x1b]0;owned\x07\x9b31m\u202e[b]"
CHINESE = "向量索引會把每一段文字變成一個向量，再找出最接近的向量，" * 6 + "如此而已。"
POSTS = {
    "llm/kv.md": "---\ntitle: What is a KV cache?\ndate: 2025-03-04\ntags: [inference, llm]\n---\n"
    "A cache keeps keys and values.\n\n## Memory\n\nThe caches grow with the context.\n",
    "soup.md": "---\ntitle: Onion soup\ndate: 2024-01-02\n---\n"
    "Boil an 🧅 onion. A cache of onions.\n",
    "zh/vector.md": f"---\ntitle: 向量索引\n---\n{CHINESE}\n",
    f"{EVIL}.md": f"---\ntags: [{json.dumps(EVIL)}]\n"
    f"title: {json.dumps(EVIL + chr(10) + '2. forged')}\n---\n"
    f"# {EVIL} inner\n\nWalrus \x1b[2J, \u202ewalrus\u202c [bold]x[/bold] :smile:\n",
}
KV, SOUP, ZH = "What is a KV cache?", "Onion soup", "向量索引"


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


OnTerminal = Callable[..., list[str]]


@pytest.fixture
def on_terminal(blog: Blog, monkeypatch: pytest.MonkeyPatch) -> OnTerminal:
    """Searches on a terminal so wide; gives the lines with their escapes."""

    def ran(width: int, *words: str) -> list[str]:
        for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": str(width)}.items():
            monkeypatch.setenv(name, value)
        return blog.command("search", *words).out.splitlines()

    return ran


def bare(line: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", line)


def test_a_pipe_is_given_plain_lines_and_how_to_read_a_hit(blog: Blog) -> None:
    ran = blog.command("search", "onion soup", "--limit", "1")
    assert "\x1b" not in ran.out
    assert "Boil an 🧅 onion. A cache of onions." in ran.out
    [words] = re.findall(r"(read soup.md 0)$", ran.out, re.M)
    assert "Boil an" in blog.command(*words.split()).out


def test_json_has_the_facts_of_the_search_page(blog: Blog) -> None:
    facts = json.loads(blog.command("search", "onion", "--json").out)
    [hit] = facts["hits"]
    assert (facts["query"], hit["source"]) == ("onion", "soup.md")
    assert hit["marks"] == [[11, 16], [29, 35]]


def test_a_terminal_has_what_matched_highlighted(on_terminal: OnTerminal) -> None:
    shown = "\n".join(on_terminal(120, "onion", "--limit", "1"))
    assert "Boil an 🧅 \x1b[1;33monion\x1b[0m. A cache of \x1b[1;33monions\x1b[0m." in shown


def test_no_line_is_wider_than_the_terminal_and_chinese_fills_it(on_terminal: OnTerminal) -> None:
    lines = [bare(line) for line in on_terminal(40, ZH, "--limit", "1")]
    assert max(map(cell_len, lines)) <= 40
    preview = [line for line in lines if line.startswith("   ") and "，" in line]
    assert len(preview) >= 3
    assert all(cell_len(line) >= 38 for line in preview[:-1])


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        (("--section", "llm"), [KV]),
        (("--tag", "LLM"), [KV]),
        (("--after", "2025"), [KV]),
        (("--before", "2024"), [SOUP]),
    ],
)
def test_filters_leave_posts_out(blog: Blog, options: tuple[str, ...], titles: list[str]) -> None:
    shown = blog.command("search", "a cache of onions keeps keys", *options).out
    assert [
        title for title in re.findall(r"^\d+\. (.+?)  0", shown, re.M) if title in (KV, SOUP)
    ] == titles


def test_why_adds_up_to_the_score(blog: Blog) -> None:
    shown = blog.command("search", "how does a cache grow", "--why", "--limit", "1").out
    [score] = re.findall(r"^1\. .*  (0\.\d{3})$", shown, re.M)
    terms = re.findall(r"= (-?[\d.]+)  .+$", shown, re.M)
    assert sum(map(float, terms)) == pytest.approx(float(score), abs=0.005)


def test_nothing_found_is_a_sentence_and_status_1(blog: Blog) -> None:
    words = ("search", "onion", "--tag", "lmm")
    ran, asked = blog.command(*words), blog.command(*words, "--json")
    notice = json.loads(asked.out)["notice"]
    assert (ran.status, ran.out, asked.status) == (1, "", 1)
    assert ran.err == f"{notice}\n"
    assert "llm (1)" in notice


UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_a_post_does_not_steer_the_terminal(on_terminal: OnTerminal) -> None:
    lines = [bare(line) for line in on_terminal(400, "walrus", "--limit", "1", "--why")]
    text = "\n".join(lines)
    assert "2. forged" in text
    assert not UNWANTED.search(text)
    assert [line for line in lines if line.startswith("2. ")] == []


def test_posts_that_changed_are_told(tmp_path: Path) -> None:
    blog = made(tmp_path, {"soup.md": POSTS["soup.md"]})
    before = blog.command("search", "--json", "onion")
    blog.write({"soup.md": POSTS["soup.md"] + "\nServe it hot.\n"})
    after = blog.command("search", "--json", "onion")
    assert [bool(json.loads(ran.out)["notice"]) for ran in (before, after)] == [False, True]


def test_who_closes_the_pipe_early_ends_the_printing_and_nothing_else(blog: Blog) -> None:
    words = ["-m", "blog_search_mcp", "search", "onion", "--index", str(blog.index)]
    done = subprocess.run(
        ["bash", "-c", f"{shlex.join([sys.executable, *words])} | true"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_searching_has_no_need_of_the_protocol(blog: Blog) -> None:
    code = (
        "import sys\nfrom blog_search_mcp.cli import program\n"
        "from blog_search_mcp.index.command_line import run\n"
        f"run(program, ['search', 'onion', '--index', {str(blog.index)!r}])\n"
        "print('mcp' in sys.modules)"
    )
    assert output_of(code).splitlines()[-1] == "False"
