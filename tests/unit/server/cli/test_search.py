"""`blog-search-mcp search`: what it prints on a terminal and elsewhere, and how it ends."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from rich.console import Console

from blog_search_mcp.cli import program
from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.index.errors import EmbedderUnavailable
from blog_search_mcp.index.types import Answer, Chunk, Filters, Hit, Post
from blog_search_mcp.server.cli import display
from blog_search_mcp.server.cli import search as search_command
from blog_search_mcp.server.engine import engine_for_author, engine_for_one
from blog_search_mcp.server.format.results import page_of
from blog_search_mcp.server.settings import Settings
from tests.support.fakes import FakeEmbedder
from tests.support.paths import ROOT
from tests.support.python import output_of, run_python
from tests.support.served import POSTS, indexed

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

CHINESE = "向量索引會把每一段文字變成一個向量，再找出最接近的向量，" * 6 + "如此而已。"
BLOG = {
    "llm/kv.md": "---\ntitle: What is a KV cache?\ndate: 2025-03-04\ntags: [inference, llm]\n---\n"
    "A cache keeps keys and values.\n\n## Memory\n\nThe caches grow with the context.\n",
    "soup.md": "---\ntitle: Onion soup\ndate: 2024-01-02\n---\nBoil an onion. A cache of onions.\n",
    "zh/vector.md": f"---\ntitle: 向量索引\n---\n{CHINESE}\n",
    "steer.md": "# Red\n\nWalrus \x1b[2J, \u202ewalrus\u202c [bold]x[/bold] :smile:\n",
}


pytestmark = pytest.mark.usefixtures("round_model")


@pytest.fixture
def made(kept_blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> Blog:
    made = kept_blog(BLOG)
    monkeypatch.setattr(
        search_command,
        "engine_for_one",
        lambda _: made.engine(),
    )
    return made


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(made: Blog, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command as if its output went to a pipe; gives its status and what it printed."""

    def ran(*arguments: str) -> tuple[int, str]:
        status = run_program(program, ["search", "--index", str(made.index), *arguments])
        out, err = capsys.readouterr()
        return status, out + err

    return ran


@pytest.fixture
def on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Runs it on a terminal so wide; gives the lines with their escapes."""

    def ran(width: int, *arguments: str) -> list[str]:
        screen = io.StringIO()

        def console() -> Console:
            return Console(
                file=screen,
                force_terminal=True,
                color_system="standard",
                width=width,
                legacy_windows=False,
                markup=False,
                highlight=False,
                emoji=False,
            )

        monkeypatch.setattr(display, "console", console)
        run(*arguments)
        return screen.getvalue().splitlines()

    return ran


def bare(line: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", line)


def test_a_pipe_is_given_whole_plain_lines(run: Run) -> None:
    status, printed = run("onion", "--limit", "1")
    assert status == 0
    confidence, first, *rest = printed.splitlines()
    assert confidence == "Confidence: high"
    assert re.fullmatch(r"1\. Onion soup  0\.\d{3}", first)
    assert rest == [
        "   soup.md chunk 0, lines 5-5 · 2024-01-02",
        "   Boil an onion. A cache of onions.",
        "Hits 1 to 1 of 1; --read N opens one.",
    ]


def test_a_terminal_has_what_matched_highlighted(
    on_a_terminal: Callable[..., list[str]],
) -> None:
    lines = on_a_terminal(80, "growing caches", "--limit", "1")
    assert (
        "   A \x1b[1;33mcache\x1b[0m keeps keys and values. Memory The \x1b[1;33mcaches" in lines[3]
    )
    assert "\x1b[1;33mgrow\x1b[0m with the context." in lines[3]


def test_no_line_is_wider_than_the_terminal_and_chinese_fills_it(
    on_a_terminal: Callable[..., list[str]],
) -> None:
    lines = [bare(line) for line in on_a_terminal(40, "向量索引", "--limit", "1")]
    widths = [cell_len(line) for line in lines]
    assert max(widths) <= 40
    preview = [line for line in lines if line.startswith("   ") and "，" in line]
    assert len(preview) >= 3
    assert all(cell_len(line) >= 38 for line in preview[:-1])


def test_a_page_says_how_to_see_more(run: Run) -> None:
    _, printed = run("cache", "--limit", "1")
    assert printed.splitlines()[-1] == ("Hits 1 to 1 of 2, more by --limit; --read N opens one.")
    _, printed = run("cache", "--read", "2")
    assert printed.splitlines()[1].startswith("2. ")


def test_filters_leave_posts_out(run: Run) -> None:
    titles = {
        options: re.findall(r"^\d+\. (.+?)  ", run("cache", *options)[1], re.M)
        for options in [
            ("--section", "llm"),
            ("--tag", "LLM"),
            ("--after", "2025"),
            ("--before", "2024"),
        ]
    }
    kv, soup = ["What is a KV cache?"], ["Onion soup"]
    assert list(titles.values()) == [kv, kv, kv, soup]


def test_reading_prints_the_text_as_the_author_wrote_it_and_where_it_stands(run: Run) -> None:
    status, printed = run("What is a KV cache?", "--read", "1")
    assert status == 0
    assert re.fullmatch(r"1\. What is a KV cache\?  0\.\d{3}", printed.splitlines()[1])
    assert printed.splitlines()[2:] == [
        "   llm/kv.md chunk 0, lines 6-10 · 2025-03-04 · inference, llm",
        "",
        "A cache keeps keys and values.",
        "",
        "## Memory",
        "",
        "The caches grow with the context.",
        "",
        "Chunk 1 of 1.",
    ]


def test_reading_past_the_last_hit_says_how_many_there_are(run: Run) -> None:
    assert run("onion", "--read", "9") == (1, "There is no hit 9; the search has 1.\n")


def test_why_adds_up_to_the_score(run: Run, made: Blog) -> None:
    _, printed = run("how does a cache grow", "--why", "--limit", "1")
    lines = printed.splitlines()
    assert re.fullmatch(r"Confidence: high \(0\.\d\d likely to hold an answer\)", lines[0])
    assert "   why: found here cache, grow" in lines
    terms = re.findall(r"^ +([\d.]+) × (-?[\d.]+) = (-?[\d.]+)  (.+)$", printed, re.M)
    assert {name for *_, name in terms} <= set(display.KINDS.values())
    answer = made.reader().search("how does a cache grow", Filters(), limit=1, offset=0)
    assert sum(float(added) for *_, added, _ in terms) == pytest.approx(
        answer.hits[0].score, abs=0.005
    )


def test_json_has_the_facts_of_the_search_page(run: Run) -> None:
    status, printed = run("onion", "--json", "--read", "1")
    facts = json.loads(printed)
    assert status == 0
    assert (facts["query"], facts["confidence"], facts["total"]) == ("onion", "high", 1)
    [hit] = facts["hits"]
    assert (hit["source"], hit["marks"]) == ("soup.md", [[8, 13], [26, 32]])
    [chunk] = facts["passage"]["chunks"]
    assert chunk["text"] == "Boil an onion. A cache of onions."


def test_nothing_found_is_a_sentence_and_status_1(run: Run) -> None:
    nothing = "No post matches this query. Try other words, or fewer and plainer ones."
    nothing += " The blog's languages: en (2), zh (1)."
    assert run("zyzzyva") == (1, f"{nothing}\n")
    status, printed = run("zyzzyva", "--json")
    assert (status, json.loads(printed)["notice"]) == (1, nothing)


def test_a_leg_that_does_not_answer_is_said(made: Blog, run: Run) -> None:
    made.embedder = FakeEmbedder(failure=EmbedderUnavailable("It sleeps. Wake it."))
    _, printed = run("onion")
    words = "Keyword matches only, without search by meaning: It sleeps. Wake it."
    assert words in printed.splitlines()[1]


UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_a_post_does_not_steer_the_terminal(on_a_terminal: Callable[..., list[str]]) -> None:
    lines = on_a_terminal(200, "walrus", "--read", "1")
    text = "\n".join(bare(line) for line in lines)
    assert "Walrus ␛[2J, �walrus� [bold]x[/bold] :smile:" in text
    assert not UNWANTED.search(text)


def test_no_fact_of_a_hit_steers_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x9b31m\u202e[b]\n2. forged"
    post = Post(evil, evil, evil, (evil,), url=f"https://blog.example/{evil}")
    chunk = Chunk(evil, 0, evil, evil, (evil, f"{evil} inner"), 1, 1, "a")
    hit = Hit(post, chunk, 0.5, evil, translations=((evil, evil),))
    answer = Answer((hit,), total=1, offset=0)
    screen = io.StringIO()
    console = Console(file=screen, width=400, markup=False, highlight=False, emoji=False)
    page = page_of(answer, f"It is {evil}")
    display.show_hits(console, page, display.Details(answer, analyse_query("owned"), why=True))
    assert not UNWANTED.search(screen.getvalue())
    assert [line for line in screen.getvalue().splitlines() if line.startswith("2. ")] == []


def test_without_an_index_the_command_says_how_to_make_one(tmp_path: Path) -> None:
    done = command("cache", "--index", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("There is no index in none/ yet. Make one: `")
    assert done.stderr.endswith(f"blog-search-mcp ingest CONTENT --index {tmp_path / 'none'}`.\n")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("blog"), POSTS)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "blog_search_mcp", "search", *arguments)


def test_the_command_searches_a_real_index_and_tells_of_posts_that_changed(index: Path) -> None:
    done = command("onion soup", "--index", str(index))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].startswith("1. Onion soup  ")
    post = index.parent / "content" / "soup.md"
    post.write_text(post.read_text(encoding="utf-8") + "\nServe it hot.\n", encoding="utf-8")
    assert "1 post has changed" in command("onion soup", "--index", str(index)).stdout


def test_who_closes_the_pipe_early_ends_the_printing_and_nothing_else(index: Path) -> None:
    line = shlex.join(
        [sys.executable, "-m", "blog_search_mcp", "search", "onion", "--index", str(index)]
    )
    done = subprocess.run(
        ["bash", "-c", f"{line} | true"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_searching_has_no_need_of_the_protocol(index: Path) -> None:
    code = (
        "import sys\nfrom blog_search_mcp.cli import program\n"
        "from blog_search_mcp.index.command_line import run\n"
        f"run(program, ['search', 'onion', '--index', {str(index)!r}])\n"
        "print('mcp' in sys.modules)"
    )
    assert output_of(code).splitlines()[-1] == "False"


def test_the_engine_of_one_question_opens_what_the_settings_name(index: Path) -> None:
    assert engine_for_one(Settings(index)).overview.posts == 2


@pytest.mark.parametrize("embeds", [True, False])
def test_the_engine_of_a_look_at_the_blog_loads_a_model_only_to_embed(
    embeds: bool, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("blog_search_mcp.index.embedders.registry.preload", loaded.append)
    corpus = engine_for_author(Settings(index), embeds=embeds).corpus()
    assert len(corpus.posts) == 2
    assert bool(loaded) is embeds
