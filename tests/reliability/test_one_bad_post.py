"""One post that breaks whatever reads it: it is skipped by name, and every other one is there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.ingest.report import as_lines

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
    "quotations in quotations": ">" * 20_000 + " Text.\n",
    "brackets in brackets": "[" * 20_000 + "Text" + "]" * 20_000 + "\n",
}

PLACES = (
    "read_file",
    "read_document",
    "check_visibility",
    "chunk_body",
    "find_language",
    "make_windows",
)
"""What `ingest.prepare` does to a post."""

ERRORS = (
    ValueError("Exceeds the limit"),
    MemoryError(),
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
    report = made.ingest(rebuild=True)
    assert sorted({*made.manifest.posts, *(skip.source for skip in report.skipped)}) == sorted(
        [*GOOD, BAD]
    )
    assert [skip.source for skip in report.skipped] in ([], [BAD])
    assert {hit.post.source for answer in answers(made) for hit in answer.hits} >= GOOD.keys()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", PLACES)
def test_whatever_a_post_raises_it_alone_is_left_out(
    place: str, error: Exception, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
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
        raise MemoryError

    monkeypatch.setattr("blog_search_mcp.ingest.prepare.read_document", broken)
    with pytest.raises(ContentError, match=r"all 4 are left out, 0\.md \(reading it fails"):
        made.ingest(rebuild=True)
    assert answers(made) == before
