"""The facts of a hit, a page of hits and a post, for tools, terminal and search page.

A model pays for each token, so its answers have shortened facts (`brief_facts`) and are limited
(`fit`). People get the facts in full.
"""

from __future__ import annotations

import json
import logging
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from math import ceil
from typing import Any, TypeVar

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.text.display import (
    count_columns,
    one_line,
    replace_surrogates,
    shorten,
)
from blog_search_mcp.index.types import Answer, Hit, PlaceInSeries, Post

log = logging.getLogger(__name__)

T = TypeVar("T")

_JSON_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

TITLE_WIDTH, HEADING_WIDTH, NAME_WIDTH = 80, 60, 40
"""Maximum widths in columns; longer texts are shortened."""


def to_json(value: Any) -> str:
    """Write compact JSON without escapes for non-ASCII characters."""
    return _JSON_ENCODER.encode(value)


def quote(value: object) -> str:
    """Quote a rejected value, shortened to 80 columns."""
    return shorten(replace_surrogates(repr(value)), 80)


_SCRIPTS = "\0\u0370\u0400\u0530\u0590\u0900\u1000\u1e00\u2e80\uac00\ud7a4\U00010000"
_TOKENS = (1.0, 1.1, 1.0, 2.0, 1.4, 2.2, 3.0, 1.1, 1.4, 1.1, 1.8, 3.0)
"""Maximum tokens per character for the scripts that begin at _SCRIPTS: Latin, Greek, Cyrillic,
Armenian, Arabic, Indic and Thai, Khmer, signs, Han and kana, Hangul, full width, emoji. Measured
with Anthropic's published tokenizer and cl100k; newer tokenizers need fewer."""


def count_tokens(text: str) -> int:
    """Return an upper bound of the tokens of a text: one per character of a Latin script."""
    if text.isascii():
        return len(text)
    counts = Counter(text).items()
    return ceil(sum(count * _TOKENS[bisect_right(_SCRIPTS, char) - 1] for char, count in counts))


def brief(text: str, width: int) -> str:
    """Return a text on one line of at most `width` columns."""
    return shorten(one_line(text), width)


def fit(
    render: Callable[[tuple[T, ...]], str],
    items: tuple[T, ...],
    most: int,
    measure: Callable[[str], int] = count_tokens,
) -> tuple[T, ...]:
    """Return as many leading items as render to at most `most` by `measure`, at least one."""
    counts = range(1, len(items) + 1)
    fitting = bisect_right(counts, most, key=lambda count: measure(render(items[:count])))
    return items[: max(fitting, 1)]


def present(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out facts that are `None` or an empty object."""
    return {name: value for name, value in facts.items() if value is not None and value != {}}


def hit_facts(hit: Hit) -> dict[str, Any]:
    """Gather the facts of a hit in full; docs/tools.md explains them."""
    path, anchor = _headings_over(hit)
    headings = headings_below(path, hit.post.title)
    return {
        "source": hit.post.source,
        "chunk_index": hit.chunk.index,
        "preview": hit.preview,
        "title": hit.post.title,
        "url": link_to(hit.post, anchor),
        "headings": list(headings),
        "heading": heading_path(headings) or None,
        "date": hit.post.date,
        "translations": dict(hit.translations),
        "series": place_facts(hit.series),
    }


def brief_facts(hit: Hit) -> dict[str, Any]:
    """Gather the facts of a hit for a model, with title and heading shortened."""
    facts = hit_facts(hit)
    facts["title"] = shorten(facts["title"], TITLE_WIDTH)
    facts["heading"] = heading_path(tuple(facts.pop("headings")), width=HEADING_WIDTH) or None
    return present(facts)


def page_facts(answer: Answer, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Gather the facts of a page; `results` are the first hits of an answer."""
    end = answer.offset + len(results)
    page = {
        "results": [*results],
        "confidence": answer.confidence,
        "next_offset": end if results and end < answer.total else None,
        "notice": answer.notice or None,
    }
    return present(page)


def place_facts(place: PlaceInSeries | None) -> dict[str, str | int]:
    """Gather the name of the series, the part, and the source of the next part, if any."""
    if place is None:
        return {}
    return present({"name": brief(place.name, NAME_WIDTH), "part": place.part, "next": place.next})


def locate_hit(hit: Mapping[str, Any], index_name: str, mark: str = "") -> str:
    """Write where a hit, its translations and its series are, on a line; `mark` quotes a source."""
    facts = [f"{mark}{hit['source']}{mark} {index_name} {hit['chunk_index']}"]
    facts += [f"lines {hit['lines']}"] if "lines" in hit else []
    facts += [
        hit.get("date", ""),
        ", ".join(hit.get("authors") or ()),
        ", ".join(hit.get("tags", ())),
    ]
    translations, series = hit.get("translations", {}), hit.get("series")
    facts += [f"also in {code}: {mark}{source}{mark}" for code, source in translations.items()]
    if series:
        following = f", next: {series['next']}" if "next" in series else ""
        facts.append(f"part {series['part']} of {series['name']}{following}")
    return one_line(" · ".join(filter(None, facts)))


def link_to(post: Post, anchor: str) -> str | None:
    """Return the URL of a heading on the published blog, `None` if the post has none."""
    return f"{post.url}#{anchor}" if post.url and anchor else post.url


def _headings_over(hit: Hit) -> tuple[tuple[str, ...], str]:
    """Return the path of headings over a hit's preview, and the nearest known anchor."""
    shown = _plain_line(hit.preview.strip("…"))
    start = _plain_line(hit.chunk.plain).find(shown) + len(shown) // 3  # what matched is behind it
    at, passed, inner = 0, 0, hit.chunk.inner_headings
    for line in hit.chunk.plain.split("\n"):
        if at > start:
            break
        words = _plain_line(line)
        name = words if words in inner[passed:] else words.lstrip("0123456789. ")
        if name in inner[passed:]:
            passed = inner.index(name, passed) + 1
        at += len(words) + bool(words)
    every = [*zip_longest(hit.chunk.all_headings, hit.chunk.anchors, fillvalue="")]
    above = len(hit.chunk.headings)
    path = every[:above] + every[above:][:passed][-1:]
    anchor = next((anchor for _, anchor in reversed(path) if anchor), "")
    return tuple(name for name, _ in path), anchor


def _plain_line(text: str) -> str:
    """Put text on one line without `**`, which a preview may leave out."""
    return one_line(text.replace("**", ""))


def headings_below(headings: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return the path of headings without one that only repeats the title."""
    return headings[1:] if headings[:1] == (title,) else headings


def heading_path(headings: tuple[str, ...], below: str = "", width: int | None = None) -> str:
    """Join headings, outermost first, without one that only repeats the title `below`.

    If the path exceeds `width` columns, outer headings are dropped first.
    """
    inner = headings_below(headings, below)
    path = " > ".join(inner)
    if width is None or count_columns(path) <= width:
        return path
    rests = (" > ".join(["…", *inner[place:]]) for place in range(1, len(inner)))
    fitting = (rest for rest in rests if count_columns(rest) <= width)
    return next(fitting, None) or shorten(inner[-1], width)


def name_authors(post: Post) -> list[str] | None:
    """Return the first three authors, `None` if none is known."""
    return [brief(name, NAME_WIDTH) for name in post.authors[:3]] or None


def post_summary(post: Post) -> dict[str, Any]:
    """Gather source, title, date, first eight tags, authors and URL of a post."""
    tags = [brief(tag, NAME_WIDTH) for tag in post.tags[:8]]
    title = brief(post.title, TITLE_WIDTH)
    facts = {"source": post.source, "title": title, "date": post.date, "tags": tags or None}
    return present({**facts, "authors": name_authors(post), "url": post.url})


def explain_failure(error: BaseException) -> str:
    """Return the message of an error for clients; an unexpected exception is logged."""
    if isinstance(error, BlogSearchError):
        return replace_surrogates(error.for_clients)
    log.error("A request failed.", exc_info=error)
    return "Internal error; the server's log has the details."
