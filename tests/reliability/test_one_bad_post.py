"""One post that breaks whatever reads it: it is skipped by name, and every other one is there."""

from __future__ import annotations

import errno
import importlib
import json
import os
import pkgutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import ContentError, IndexProblem
from blog_search_mcp.index.posts.document import Document, read_document
from blog_search_mcp.index.posts.left_out import ContentFolder
from blog_search_mcp.index.relations.audit import audit
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.ingest.report import as_lines
from blog_search_mcp.ingest.workers import WORTHWHILE
from tests.support.paths import ROOT
from tests.support.python import run_python

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

BAD = "bad.md"
GOOD = {f"{n}.md": f"# Soup {n}\n\nBoil an onion in {n} cups of water.\n" for n in range(4)}
HEX = "0x" + "f" * 4000
"""More digits in decimal than Python writes."""

FIELDS = ("title", "date", "tags", "draft", "slug", "url", "description", "expiryDate", "lang")
TEXTS = {
    **{f"a huge number as {name} in TOML": f"+++\n{name} = {HEX}\n+++\nText.\n" for name in FIELDS},
    **{f"a list of it as {name}": f"+++\n{name} = [{HEX}]\n+++\nText.\n" for name in FIELDS},
    **{
        f"half a character as {name} in JSON": f'{{"{name}": "\\ud83e"}}\n\nText.\n'
        for name in FIELDS
    },
    "lists in lists in JSON": '{"tags": ' + "[" * 100_000 + "]" * 100_000 + "}\n\nText.\n",
    "lists in lists in TOML": "+++\ntags = " + "[" * 5_000 + "]" * 5_000 + "\n+++\nText.\n",
    "lists in lists in YAML": "---\ntags: " + "[" * 5_000 + "]" * 5_000 + "\n---\nText.\n",
    "a year of five digits": "+++\ndate = 10000-01-01\n+++\nText.\n",
    "a year of no sense": '---\ndate: "999999999999999999-01-01"\n---\nText.\n',
    **{
        f"{address} as an address": f'---\naliases: ["{address}"]\n---\n[a]({address}) Text.\n'
        for address in ("http://[a", "//a]", "%2F%2F[a", "http://a\u2100b/", "a%3A//%5Ba")
    },
    "a million folders in a link": f"[a](/{'x/' * 1_000_000}) Text.\n",
    "a hundred thousand folders in an address": f"---\nurl: /{'x/' * 100_000}\n---\nText.\n",
    "quotations in quotations": ">" * 20_000 + " Text.\n",
    "brackets in brackets": "[" * 20_000 + "Text" + "]" * 20_000 + "\n",
}

FIRST_DAY = "---\ndate: 0001-01-01T00:00:00+14:00\n---\nPoison.\n"
"""UTC has no such date. Go writes it with Z for no time, of which zones west of it have none."""


@pytest.mark.parametrize("generator", ["hexo", "jekyll"])
def test_a_date_that_another_zone_has_not_costs_the_link_alone(
    generator: str, blog: MakeBlog
) -> None:
    made = blog(GOOD)
    folder = "source/_posts" if generator == "hexo" else "_posts"
    source = f"{folder}/2024-05-01-a.md"
    made.write({source: FIRST_DAY})
    report = made.ingest(rebuild=True, base_url="https://soup.example/", permalink=generator)
    assert report.skipped == ()
    assert found(made, "poison") == {source}


PLACES = (
    "read_file",
    "read_document",
    "check_visibility",
    "chunk_body",
    "find_language",
    "make_windows",
)
"""What `ingest.prepare` does to a post."""


class Panic(BaseException):
    """As a panic in Rust, which is no Exception."""


ERRORS = (
    ValueError("Exceeds the limit"),
    Panic("index out of bounds"),
    RecursionError("maximum recursion depth exceeded"),
    AssertionError(),
    KeyError("date"),
    StopIteration(),
    RuntimeError("dictionary changed size"),
    UnicodeEncodeError("utf-8", "\ud83e", 0, 1, "surrogates not allowed"),
    OSError(5, "Input/output error"),
)


def answers(made: Blog) -> tuple[Answer, ...]:
    reader = made.reader()
    queries = ("soup", "boil an onion", "water", "three cups")
    return tuple(reader.search(query, Filters(), limit=10, offset=0) for query in queries)


def found(made: Blog, query: str) -> set[str]:
    answer = made.reader().search(query, Filters(), limit=10, offset=0)
    return {hit.post.source for hit in answer.hits}


def breaks_on_bad(place: str, error: BaseException) -> Callable[..., Any]:
    """The function that `ingest.prepare` calls, which raises for the bad post."""
    real = getattr(importlib.import_module("blog_search_mcp.ingest.prepare"), place)

    def broken(*arguments: Any, **named: Any) -> Any:
        if any(BAD in repr(each) for each in arguments):
            raise error
        return real(*arguments, **named)

    return broken


@pytest.mark.parametrize("site", ["", "https://soup.example/"])
@pytest.mark.parametrize("what", TEXTS)
def test_no_text_ends_an_ingest(what: str, site: str, blog: MakeBlog) -> None:
    made = blog(GOOD)
    made.write({BAD: TEXTS[what]})
    report = made.ingest(rebuild=True, base_url=site, permalink=site and "hugo")
    assert sorted({*made.manifest.posts, *(skip.source for skip in report.skipped)}) == sorted(
        [*GOOD, BAD]
    )
    assert [skip.source for skip in report.skipped] in ([], [BAD])
    corpus = made.reader().corpus()
    audit(corpus, ContentFolder(frozenset(made.manifest.posts)), made.today)
    assert {hit.post.source for answer in answers(made) for hit in answer.hits} >= GOOD.keys()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", PLACES)
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
    assert any(BAD in line for line in as_lines(report))
    assert answers(made) == before
    assert made.ingest(rebuild=True).skipped == report.skipped
    assert answers(made) == before
    monkeypatch.undo()
    assert (made.ingest().added, made.ingest().skipped) == (1, ())


def breaks_on_poison(place: str, error: BaseException) -> Callable[..., Any]:
    """The function at that place, which raises once it has done its work for the bad post."""
    path, _, name = place.rpartition(".")
    real = getattr(pkgutil.resolve_name(path), name)

    def broken(*arguments: Any, **named: Any) -> Any:
        done = real(*arguments, **named)
        if "poison" in repr(arguments):
            raise error
        return done

    return broken


WRITING = {
    "store.catalog_writer.CatalogWriter._add_chunk": "writing it into the index",
    "lexical.documents.terms_of": "indexing its words",
}
"""What takes a post into the index, and what its reason says."""

OF_WRITING = (
    sqlite3.DataError("string or blob too big"),
    OverflowError("Python int too large to convert to SQLite INTEGER"),
    Panic("capacity overflow"),
)


@pytest.mark.parametrize("error", OF_WRITING, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("place", WRITING)
def test_a_post_that_cannot_be_written_alone_is_left_out(
    place: str, error: BaseException, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(GOOD)
    before = answers(made)
    path = f"blog_search_mcp.index.{place}"
    broken = breaks_on_poison(path, error)
    monkeypatch.setattr(path, broken)
    for text in ("# Bad\n\nMuch poison.\n", "# Worse\n\nA leaf.\n\n# Bad\n\nMuch poison.\n"):
        made.write({BAD: text})
        report = made.ingest()
        assert [skip.source for skip in report.skipped] == [BAD]
        assert f"{WRITING[place]} fails ({type(error).__name__}" in report.skipped[0].reason
        assert (report.added, report.changed, report.posts) == (0, 0, 4)
        assert answers(made) == before
    assert made.ingest(rebuild=True).skipped == report.skipped
    assert answers(made) == before
    monkeypatch.undo()
    assert (made.ingest().added, made.ingest().skipped) == (1, ())
    assert found(made, "poison") == {BAD}
    monkeypatch.setattr(path, broken)
    made.write({BAD: "# Changed\n\nMore poison, edited.\n"})
    again = made.ingest()
    assert [skip.source for skip in again.skipped] == [BAD]
    assert (again.removed, again.posts) == (1, 4)
    assert answers(made) == before


def test_text_that_sqlite_refuses_costs_its_post_alone(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(GOOD)
    before = answers(made)

    def half_a_character(data: bytes, source: str) -> Document:
        document = read_document(data, source)
        if source != BAD:
            return document
        return replace(document, post=replace(document.post, title="\ud83e"))

    monkeypatch.setattr("blog_search_mcp.ingest.prepare.read_document", half_a_character)
    made.write({BAD: "# Bad\n\nMuch poison.\n"})
    report = made.ingest()
    assert [skip.source for skip in report.skipped] == [BAD]
    assert "surrogates not allowed" in report.skipped[0].reason
    assert answers(made) == before


PARTS = {f"{n}.md": f"# Soup, part {n}\n\nBoil an onion in [{n}](1.md).\n" for n in (1, 2)}
RELATING = (
    "relations.translations._without_language",
    "relations.series._signs_of",
    "relations.addresses._names_of",
)
"""What finds out what the posts of a blog are to each other."""


@pytest.mark.parametrize("place", RELATING)
def test_posts_that_cannot_be_related_are_searched_and_it_is_said(
    place: str, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(PARTS)
    path, _, name = f"blog_search_mcp.index.{place}".rpartition(".")
    real = getattr(importlib.import_module(path), name)

    def broken(*arguments: Any) -> Any:
        if "bad" in repr(arguments).lower():
            raise KeyError("date")
        return real(*arguments)

    monkeypatch.setattr(f"{path}.{name}", broken)
    made.write({BAD: "# Bad, part 3\n\nMuch poison in [it](1.md).\n"})
    report = made.ingest()
    assert (report.posts, report.added, report.skipped) == (3, 1, ())
    [warning] = report.warnings
    assert "series and translations fails (KeyError" in warning
    assert warning in as_lines(report)
    assert BAD in found(made, "poison")
    monkeypatch.undo()
    assert made.ingest(rebuild=True).warnings == ()
    answer = made.reader().search("soup", Filters(), limit=10, offset=0)
    series = {hit.post.source: hit.series and hit.series.part for hit in answer.hits}
    assert (series["1.md"], series["2.md"]) == (1, 2)


READS_DEADLY = """
import sys
from blog_search_mcp.index.lexical import documents
from blog_search_mcp.ingest import prepare, workers
from blog_search_mcp.ingest.__main__ import main
from tests.reliability import deadly_posts
if __name__ == "__main__":
    workers._count_processors = lambda: 2
    workers.MOST_SECONDS = 5
    {place} = deadly_posts.{name}
    sys.exit(main())
"""


@pytest.mark.parametrize("word", ["poison", "tarpit"])
@pytest.mark.parametrize("place", ["prepare.prepare_post", "documents.post_terms"])
def test_of_many_posts_one_that_takes_too_long_or_ends_its_process_is_left_out(
    place: str, word: str, tmp_path: Path
) -> None:
    posts, program = tmp_path / "posts", tmp_path / "program.py"
    posts.mkdir()
    for number in range(WORTHWHILE):
        (posts / f"{number}.md").write_text(f"# Soup {number}\n\nBoil an onion.\n", "utf-8")
    (posts / BAD).write_text(f"# Bad\n\nMuch {word}.\n", "utf-8")
    program.write_text(READS_DEADLY.format(place=place, name=place.partition(".")[2]), "utf-8")
    here = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}

    def ingest() -> tuple[int, list[str]]:
        options = ("--index", tmp_path / "index", "--json", "--embedder", "embedded")
        ran = run_python(program, posts, *options, env=here)
        assert ran.returncode == 0, ran.stderr
        report = json.loads(ran.stdout)
        return report["posts"], [skipped["source"] for skipped in report["skipped"]]

    assert ingest() == (WORTHWHILE, [BAD])
    (posts / BAD).write_text("# Good\n\nA cure.\n", "utf-8")
    assert ingest() == (WORTHWHILE + 1, [])


def test_a_disk_that_refuses_a_post_ends_the_ingest(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(GOOD)
    before = answers(made)
    made.write({BAD: "# Bad\n\nMuch poison.\n"})
    path = "blog_search_mcp.index.store.catalog_writer.CatalogWriter._add_chunk"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(path, breaks_on_poison(path, full))
    with pytest.raises(IndexProblem, match="could not be written"):
        made.ingest()
    assert answers(made) == before


def test_an_interrupt_ends_the_ingest_and_leaves_the_index(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(GOOD)
    before = answers(made)
    made.write({BAD: "# Bad\n\nMuch poison.\n"})
    broken = breaks_on_bad("read_document", KeyboardInterrupt())
    monkeypatch.setattr("blog_search_mcp.ingest.prepare.read_document", broken)
    with pytest.raises(KeyboardInterrupt):
        made.ingest()
    assert answers(made) == before


def test_where_every_post_breaks_the_index_stays(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog(GOOD)
    before = answers(made)

    def broken(*_arguments: object) -> None:
        raise RecursionError

    monkeypatch.setattr("blog_search_mcp.ingest.prepare.read_document", broken)
    with pytest.raises(ContentError, match=r"all 4 are left out, 0\.md \(reading it fails"):
        made.ingest(rebuild=True)
    assert answers(made) == before
