"""`blog-search-mcp search`: what it prints, and how it ends."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.front import Blog, command, made
from tests.support.paths import ROOT
from tests.support.python import output_of

EVIL = "\x1b]0;owned\x07\x9b31m\u202e[b]"
POSTS = {
    "llm/kv.md": "---\ntitle: What is a KV cache?\ndate: 2025-03-04\ntags: [inference, llm]\n---\n"
    "A cache keeps keys and values.\n\n## Memory\n\nThe caches grow with the context.\n",
    "soup.md": "---\ntitle: Onion soup\ndate: 2024-01-02\n---\n"
    "Boil an 🧅 onion. A cache of onions.\n",
    f"{EVIL}.md": f"---\ntags: [{json.dumps(EVIL)}]\n"
    f"title: {json.dumps(EVIL + chr(10) + '2. forged')}\n---\n"
    f"# {EVIL} inner\n\nWalrus \x1b[2J, \u202ewalrus\u202c [bold]x[/bold] :smile:\n",
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


def test_a_pipe_is_given_plain_lines_and_how_to_read_a_hit(blog: Blog) -> None:
    ran = blog.command("search", "onion soup", "--limit", "1")
    assert "\x1b" not in ran.out
    assert "Boil an 🧅 onion. A cache of onions." in ran.out
    [words] = re.findall(r"To read one: (.*)$", ran.out, re.M)
    assert "Boil an" in command(*shlex.split(words)[1:]).out


def test_what_matched_is_marked_on_a_terminal(blog: Blog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    shown = blog.command("search", "onion", "--limit", "1").out
    assert re.findall(r"\x1b\[[\d;]+m(onions?)\x1b\[0m", shown) == ["onion", "onions"]
    assert "Boil an 🧅 onion. A cache of onions." in re.sub(r"\x1b\[[\d;]+m", "", shown)


def test_nothing_found_is_a_sentence_and_status_1(blog: Blog) -> None:
    words = ("search", "onion", "--tag", "lmm")
    ran, asked = blog.command(*words), blog.command(*words, "--json")
    notice = json.loads(asked.out)["notice"]
    assert (ran.status, ran.out, asked.status) == (1, "", 1)
    assert ran.err == f"{notice}\n"


UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("words", [("search", "walrus", "--limit", "1"), ("ask", "walrus")])
def test_a_post_does_not_steer_the_terminal(blog: Blog, words: tuple[str, ...]) -> None:
    text = blog.command(*words).out
    assert "2. forged" in text
    assert "\n2. forged" not in text
    assert not UNWANTED.search(text)


@pytest.mark.parametrize("words", [("search", "--json", "walrus"), ("author", "audit", "--json")])
def test_json_does_not_steer_the_terminal_either(blog: Blog, words: tuple[str, ...]) -> None:
    text = blog.command(*words).out
    assert ("\\u202e" in text, UNWANTED.search(text)) == (True, None)
    assert "\u202e" in json.dumps(json.loads(text), ensure_ascii=False)


def test_posts_that_changed_are_told(tmp_path: Path) -> None:
    blog = made(tmp_path, {"soup.md": POSTS["soup.md"]})
    before = blog.command("search", "--json", "onion")
    blog.write({"soup.md": POSTS["soup.md"] + "\nServe it hot.\n"})
    after = blog.command("search", "--json", "onion")
    assert [bool(json.loads(ran.out)["notice"]) for ran in (before, after)] == [False, True]


def test_who_closes_the_pipe_early_ends_the_printing_and_nothing_else(blog: Blog) -> None:
    words = ["-m", "blog_search_mcp", "search", "onion", "--index", str(blog.index)]
    line = f"{shlex.join([sys.executable, *words])} | true"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_searching_has_no_need_of_the_protocol(blog: Blog) -> None:
    code = (
        "import sys\nfrom blog_search_mcp.cli import run\n"
        f"run(['search', 'onion', '--index', {str(blog.index)!r}])\n"
        "print('mcp' in sys.modules)"
    )
    assert output_of(code).splitlines()[-1] == "False"
