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

from blog_search_mcp.server.engine import engine_for_author
from blog_search_mcp.server.settings import Settings
from tests.support.front import Blog, command, made
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


def test_a_pipe_is_given_whole_plain_lines(blog: Blog) -> None:
    ran = blog.command("search", "onion soup", "--limit", "1")
    confidence, head, place, preview, end = ran.out.splitlines()
    assert (ran.status, confidence) == (0, "Confidence: high")
    assert re.fullmatch(r"1\. Onion soup  0\.\d{3}", head)
    assert place == "   soup.md chunk 0, lines 5-5 · 2024-01-02"
    assert preview == "   Boil an 🧅 onion. A cache of onions."
    assert "--read" in end


def test_a_terminal_has_what_matched_highlighted(on_terminal: OnTerminal) -> None:
    shown = "\n".join(on_terminal(120, "onion", "--limit", "1"))
    assert "Boil an 🧅 \x1b[1;33monion\x1b[0m. A cache of \x1b[1;33monions\x1b[0m." in shown


def test_no_line_is_wider_than_the_terminal_and_chinese_fills_it(on_terminal: OnTerminal) -> None:
    lines = [bare(line) for line in on_terminal(40, ZH, "--limit", "1")]
    assert max(map(cell_len, lines)) <= 40
    preview = [line for line in lines if line.startswith("   ") and "，" in line]
    assert len(preview) >= 3
    assert all(cell_len(line) >= 38 for line in preview[:-1])


def test_a_page_says_how_to_see_more(blog: Blog) -> None:
    first = blog.command("search", "cache", "--limit", "1").out.splitlines()
    assert "--limit;" in first[-1]
    second = blog.command("search", "cache", "--read", "2").out.splitlines()
    assert second[1].startswith("2. ")


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


def test_reading_prints_the_text_as_the_author_wrote_it_and_where_it_stands(blog: Blog) -> None:
    ran = blog.command("search", KV, "--read", "1")
    text = POSTS["llm/kv.md"].partition("---\nA ")[2]
    assert ran.status == 0
    assert f"\n\nA {text}\nChunk 1 of 1" in ran.out
    assert (
        ran.out.splitlines()[2] == "   llm/kv.md chunk 0, lines 6-10 · 2025-03-04 · inference, llm"
    )


def test_reading_past_the_last_hit_says_how_many_there_are(blog: Blog) -> None:
    ran = blog.command("search", "onion", "--read", "99")
    assert (ran.status, ran.out) == (1, "")
    assert "99" in ran.err


def test_why_adds_up_to_the_score(blog: Blog) -> None:
    shown = blog.command("search", "how does a cache grow", "--why", "--limit", "1").out
    [score] = re.findall(r"^1\. .*  (0\.\d{3})$", shown, re.M)
    terms = re.findall(r"^ +[\d.]+ × -?[\d.]+ = (-?[\d.]+)  .+$", shown, re.M)
    assert sum(map(float, terms)) == pytest.approx(float(score), abs=0.005)
    assert re.search(r"^ +why: .*cache, grow$", shown, re.M)


def test_json_has_the_facts_of_the_search_page(blog: Blog) -> None:
    ran = blog.command("search", "onion", "--json", "--read", "1")
    facts = json.loads(ran.out)
    [hit] = facts["hits"]
    assert (ran.status, facts["query"], hit["source"]) == (0, "onion", "soup.md")
    assert hit["marks"] == [[11, 16], [29, 35]]
    assert facts["passage"]["chunks"][0]["text"] in POSTS["soup.md"]


def test_nothing_found_is_a_sentence_and_status_1(blog: Blog) -> None:
    words = ("search", "onion", "--tag", "lmm")
    ran, asked = blog.command(*words), blog.command(*words, "--json")
    notice = json.loads(asked.out)["notice"]
    assert (ran.status, ran.out, asked.status) == (1, "", 1)
    assert ran.err == f"{notice}\n"
    assert "llm (1)" in notice


UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("words", [("--why",), ("--read", "1")])
def test_a_post_does_not_steer_the_terminal(
    on_terminal: OnTerminal, words: tuple[str, ...]
) -> None:
    lines = [bare(line) for line in on_terminal(400, "walrus", "--limit", "1", *words)]
    text = "\n".join(lines)
    assert "--why" in words or "Walrus ␛[2J, �walrus� [bold]x[/bold] :smile:" in text
    assert "2. forged" in text
    assert not UNWANTED.search(text)
    assert [line for line in lines if line.startswith("2. ")] == []


def test_without_an_index_the_command_says_how_to_make_one(tmp_path: Path) -> None:
    ran = command("search", "cache", "--index", str(tmp_path / "none"))
    assert (ran.status, ran.out) == (1, "")
    assert f"blog-search-mcp ingest CONTENT --index {tmp_path / 'none'}`" in ran.err


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


@pytest.mark.parametrize("embeds", [True, False])
def test_the_engine_of_a_look_at_the_blog_loads_a_model_only_to_embed(
    embeds: bool, blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("blog_search_mcp.index.embedders.registry.preload", loaded.append)
    corpus = engine_for_author(Settings(blog.index), embeds=embeds).corpus()
    assert corpus.posts
    assert bool(loaded) is embeds
