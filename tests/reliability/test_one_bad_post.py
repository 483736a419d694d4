"""One post that breaks whatever reads it: it is skipped by name, and every other one is there."""

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.index.types import Answer
from blog_search_mcp.ingest.last_ingest import ContentFolder
from blog_search_mcp.ingest.report import format_report
from blog_search_mcp.ingest.workers import MIN_POOLED
from blog_search_mcp.server.author.audit import audit
from blog_search_mcp.server.author.corpus import Corpus
from tests.support.blog import Blog, MakeBlog
from tests.support.paths import ROOT
from tests.support.python import run_python

BAD = "bad.md"
GOOD = {f"{n}.md": f"# Soup {n}\n\nBoil an onion in {n} cups of water.\n" for n in range(4)}
HEX = "0x" + "f" * 4000
"""A number with more decimal digits than Python writes."""

FIELDS = ("title", "date", "tags", "draft", "expiryDate")
TEXTS = {
    "a huge number in TOML": "+++\n" + "".join(f"{f} = {HEX}\n" for f in FIELDS) + "+++\nText.\n",
    "half a character in JSON": '{"title": "\\ud83e", "tags": ["\\ud83e"]}\n\nText.\n',
    "lists in lists in JSON": '{"tags": ' + "[" * 100_000 + "]" * 100_000 + "}\n\nText.\n",
    "lists in lists in TOML": "+++\ntags = " + "[" * 5_000 + "]" * 5_000 + "\n+++\nText.\n",
    "lists in lists in YAML": "---\ntags: " + "[" * 5_000 + "]" * 5_000 + "\n---\nText.\n",
    "a year of five digits": "+++\ndate = 10000-01-01\n+++\nText.\n",
    "the first day of another zone": "---\ndate: 0001-01-01T00:00:00+14:00\n---\nText.\n",
    **{
        f"{address} as an address": f'---\naliases: ["{address}"]\n---\n[a]({address}) Text.\n'
        for address in ("http://[a", "//a]", "http://a\u2100b/")
    },
    "a hundred thousand folders in a link": f"[a](/{'x/' * 100_000}) Text.\n",
    "a hundred thousand folders in an address": f"---\nurl: /{'x/' * 100_000}\n---\nText.\n",
    "quotations in quotations": ">" * 20_000 + " Text.\n",
    "brackets in brackets": "[" * 20_000 + "Text" + "]" * 20_000 + "\n",
}


class Panic(BaseException):
    """Stands for a panic in Rust, which is no Exception."""


PLACES = [
    ("read_file", ValueError("Exceeds the limit")),
    ("read_document", Panic("index out of bounds")),
    ("chunk_body", StopIteration()),
    ("terms_of", Panic("no such word")),
]
"""Functions that `ingest.prepare` calls for a post, and errors they may raise."""


def answers(made: Blog) -> tuple[Answer, ...]:
    return tuple(map(made.search, ("soup", "boil an onion", "water", "three cups")))


def breaks_on_bad(place: str, error: BaseException) -> Callable[..., Any]:
    """The function that `ingest.prepare` calls, which raises for the bad post."""
    real = getattr(importlib.import_module("blog_search_mcp.ingest.prepare"), place)

    def broken(*arguments: Any, **named: Any) -> Any:
        if any(BAD in repr(each) for each in arguments):
            raise error
        return real(*arguments, **named)

    return broken


@pytest.mark.parametrize("what", TEXTS)
def test_no_text_ends_an_ingest(what: str, blog: MakeBlog) -> None:
    made = blog(GOOD)
    made.write({BAD: TEXTS[what]})
    report = made.ingest(rebuild=True, base_url="https://soup.example/", permalink="hugo")
    assert sorted({*made.manifest.posts, *(skip.source for skip in report.skipped)}) == sorted(
        [*GOOD, BAD]
    )
    assert [skip.source for skip in report.skipped] in ([], [BAD])
    corpus = Corpus(made.reader().snapshot)
    audit(corpus, ContentFolder(frozenset(made.manifest.posts)), made.today)
    assert {hit.post.source for answer in answers(made) for hit in answer.hits} >= GOOD.keys()


@pytest.mark.parametrize(("place", "error"), PLACES)
def test_whatever_a_post_raises_it_alone_is_left_out(
    place: str, error: BaseException, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(GOOD)
    before = answers(made)
    made.write({BAD: "# Bad\n\nMuch poison.\n"})
    monkeypatch.setattr(f"blog_search_mcp.ingest.prepare.{place}", breaks_on_bad(place, error))
    report = made.ingest()
    assert [skip.source for skip in report.skipped] == [BAD]
    assert f"reading it fails ({type(error).__name__}" in report.skipped[0].reason
    assert any(BAD in line for line in format_report(report))
    assert answers(made) == before
    monkeypatch.undo()
    assert (made.ingest().added, made.ingest().skipped) == (1, ())


READS_DEADLY = """
import sys
from blog_search_mcp.ingest import prepare, workers
from blog_search_mcp.__main__ import main
from tests.reliability import deadly_posts
if __name__ == "__main__":
    workers._count_processors = lambda: 2
    workers.MAX_SECONDS = 3
    prepare.prepare_post = deadly_posts.prepare_post
    sys.argv.insert(1, "ingest")
    main()
"""


@pytest.mark.parametrize(
    ("number_of_posts", "words"),
    [(MIN_POOLED, ("glutton", "poison", "sword", "tarpit")), (3, ("tarpit",))],
)
def test_posts_that_take_too_long_or_end_their_process_are_left_out(
    tmp_path: Path, number_of_posts: int, words: tuple[str, ...]
) -> None:
    bad = {f"{word}.md": word for word in words}
    posts, program = tmp_path / "posts", tmp_path / "program.py"
    posts.mkdir()
    for number in range(number_of_posts):
        (posts / f"{number}.md").write_text(f"# Soup {number}\n\nBoil an onion.\n", "utf-8")
    for name, word in bad.items():
        (posts / name).write_text(f"# Bad\n\nMuch {word}.\n", "utf-8")
    program.write_text(READS_DEADLY, "utf-8")
    here = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}

    def ingest() -> tuple[int, list[str]]:
        options = ("--index", tmp_path / "index", "--json", "--embedder", "embedded")
        ran = run_python(program, posts, *options, env=here)
        assert ran.returncode == 0, ran.stderr
        report = json.loads(ran.stdout)
        return report["posts"], sorted(skipped["source"] for skipped in report["skipped"])

    assert ingest() == (number_of_posts, [*bad])
    for name in bad:
        (posts / name).write_text("# Good\n\nA cure.\n", "utf-8")
    assert ingest() == (number_of_posts + len(bad), [])
