"""The facts of a hit, a page of hits and a post, for tools, terminal and search page.

To save tokens, answers for models have shortened facts (`brief_facts`) and a limited length
(`fit`). People get the facts in full.
"""

import json
import logging
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, zip_longest
from math import ceil
from typing import Any, TypeVar
from urllib.parse import unquote

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.search.previews import list_lines, write_text
from blog_search_mcp.index.text.display import count_columns, one_line, replace_surrogates, shorten
from blog_search_mcp.index.text.languages import language_of, primary_subtag
from blog_search_mcp.index.types import Answer, Hit, PlaceInSeries, Post

log = logging.getLogger(__name__)
T = TypeVar("T")
_JSON_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
TITLE_WIDTH, HEADING_WIDTH, NAME_WIDTH = 80, 60, 40
"""Maximum widths in columns; longer texts are shortened."""


_SITE = re.compile(r"https?://[^/]+(?=/)")
_TOLD = {"title": "", "date": "", "url": "", "outdated": "", "translations": {}, "series": {}}
"""Empty values of a post's facts that only its first hit on a page tells."""


def to_json(value: Any) -> str:
    """Write compact JSON without escapes for non-ASCII characters."""
    return _JSON_ENCODER.encode(value)


def quote(value: object) -> str:
    """Return the repr of a rejected value, shortened to 80 columns."""
    return shorten(replace_surrogates(repr(value)), 80)


_SCRIPTS = "\0\u0370\u0400\u0530\u0590\u0900\u1000\u1e00\u2e80\uac00\ud7a4\U00010000"
_TOKENS = (1.0, 1.1, 1.0, 2.0, 1.4, 2.2, 3.0, 1.1, 1.4, 1.1, 1.8, 3.0)
"""Maximum tokens per character for the scripts that begin at _SCRIPTS: Latin, Greek, Cyrillic,
Armenian, Arabic, Indic and Thai, Khmer, signs, Han and kana, Hangul, full width, emoji. Measured
with Anthropic's published tokenizer and cl100k; newer tokenizers need fewer."""


def count_tokens(text: str) -> int:
    """Return an upper bound of a text's number of tokens, one for each Latin letter."""
    if text.isascii():
        return len(text)
    return ceil(sum(n * _TOKENS[bisect_right(_SCRIPTS, c) - 1] for c, n in Counter(text).items()))


def brief(text: str, width: int) -> str:
    """Return a text on one line of at most `width` columns."""
    return shorten(one_line(text), width)


def fit(
    render: Callable[[tuple[T, ...]], str],
    items: tuple[T, ...],
    most: int,
    measure: Callable[[str], int] = count_tokens,
) -> tuple[T, ...]:
    """Return the leading items whose rendering measures at most `most`, and at least the first."""
    fitting = bisect_right(range(1, len(items) + 1), most, key=lambda n: measure(render(items[:n])))
    return items[: max(fitting, 1)]


def present(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts except those that are `None` or an empty object."""
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
        "outdated": hit.replacement and hit.replacement.notice,
    }


def brief_facts(hit: Hit, question: str | None = None) -> dict[str, Any]:
    """Gather the facts of a hit for a model, with title and heading shortened.

    With a `question`, translations are left out if the hit is in the question's language.
    """
    facts = hit_facts(hit)
    facts["title"] = shorten(facts["title"], TITLE_WIDTH)
    facts["heading"] = heading_path(tuple(facts.pop("headings")), width=HEADING_WIDTH) or None
    if question is not None:
        is_foreign = primary_subtag(hit.post.language) != (language_of(question) or "en")
        facts["translations"] = facts["translations"] if is_foreign else {}
    return present(facts)


def page_facts(answer: Answer, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Gather the facts of a page; `results` are the facts of the answer's first hits."""
    end = answer.offset + len(results)
    page = {
        "results": [*results],
        "confidence": answer.confidence,
        "next_offset": end if results and end < answer.total else None,
        "notice": answer.notice or None,
    }
    return present(page)


def place_facts(place: PlaceInSeries | None) -> dict[str, str | int]:
    """Gather a series' name, the part's number and the next part's source; `{}` without series."""
    if place is None:
        return {}
    return present({"name": brief(place.name, NAME_WIDTH), "part": place.part, "next": place.next})


def write_page(offset: int, page: Mapping[str, Any]) -> str:
    """Write a page for a model: confidence, notice, the site of the links, and numbered hits.

    To save tokens, links lack the site, and only the first hit of a post has the facts in _TOLD.
    """
    hits, sources = page["results"], set[str]()
    site = next((match[0] for hit in hits if (match := _SITE.match(hit.get("url", "")))), "")
    confidence = f"Confidence: {page['confidence']}." if hits else ""
    links = f"Links begin with {site}." if site else ""
    parts = [str(join_sentences(confidence, page.get("notice"), links))]
    for number, hit in enumerate(hits, offset + 1):
        link, sign, anchor = hit.get("url", "").removeprefix(site).partition("#")
        told = _TOLD if hit["source"] in sources else {"url": link}
        facts = {**hit, **told, "url": told["url"] + sign + anchor}
        sources.add(hit["source"])
        # The sign keeps a preview from reading as another hit.
        lines = write_head(number, facts), write_facts(facts), f"> {one_line(hit['preview'])}"
        parts.append("\n".join(filter(None, lines)))
    return "\n\n".join(parts)


def write_head(number: int, hit: Mapping[str, Any]) -> str:
    """Write `1. source #chunk_index · date · title › heading`, as far as they are known.

    A date that is part of the source is left out. If the hit has `lines`, the first is added as
    `source:12`, which many terminals can open.
    """
    line = f":{hit['lines'].partition('-')[0]}" if "lines" in hit else ""
    place = f"{number}. {' '.join(hit['source'].splitlines())}{line} #{hit['chunk_index']}"
    date = hit.get("date") or ""
    dated = (place, "" if date in hit["source"] else date, one_line(hit["title"]))
    head = " · ".join(filter(None, dated))
    return " › ".join(filter(None, (head, one_line(hit.get("heading") or ""))))


def write_facts(hit: Mapping[str, Any]) -> str:
    """Write on one line the facts of a hit that its head lacks, `""` if there are none."""
    facts = [f"outdated: {hit['outdated']}" if hit.get("outdated") else "", hit.get("url")]
    facts += [", ".join(hit.get(name) or ()) for name in ("authors", "tags")]
    facts += [f"also in {code}: {source}" for code, source in hit.get("translations", {}).items()]
    if "next" in (series := hit.get("series", {})):
        facts.append(f"part {series['part']} of {series['name']}, next: {series['next']}")
    return one_line(" · ".join(filter(None, facts)))


def link_to(post: Post, anchor: str) -> str | None:
    """Return the post's URL with `anchor`, or `None`. To save tokens, letters are not encoded."""
    url = re.sub("(?i:%[89A-F][0-9A-F])+", lambda run: unquote(run[0]), post.url or "")
    url = url if url.isprintable() and "\ufffd" not in url else post.url or ""
    return f"{url}#{anchor}" if url and anchor else url or None


def _headings_over(hit: Hit) -> tuple[tuple[str, ...], str]:
    """Return the headings above a hit's preview, one inside its chunk at most, and an anchor."""
    lines, shown = list_lines(hit.chunk), hit.preview.strip("…")
    start = write_text(hit.chunk).find(shown) + len(shown) // 3  # few query words come before it
    ends = accumulate(len(line) + 1 for line, _ in lines)
    passed = next((count for end, (_, count) in zip(ends, lines, strict=True) if end > start), 0)
    every = [*zip_longest(hit.chunk.all_headings, hit.chunk.anchors, fillvalue="")]
    above = len(hit.chunk.headings)
    path = every[:above] + every[above:][:passed][-1:]
    anchor = next((anchor for _, anchor in reversed(path) if anchor), "")
    return tuple(name for name, _ in path), anchor


def headings_below(headings: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return the path of headings, without the first if that repeats the title."""
    return headings[1:] if headings[:1] == (title,) else headings


def heading_path(headings: tuple[str, ...], title: str = "", width: int | None = None) -> str:
    """Join headings, outermost first, without the first if that repeats `title`.

    If the path exceeds `width` columns, outer headings are dropped first.
    """
    inner = headings_below(headings, title)
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
    facts = {"source": post.source, "title": brief(post.title, TITLE_WIDTH), "date": post.date}
    tags = [brief(tag, NAME_WIDTH) for tag in post.tags[:8]] or None
    return present({**facts, "tags": tags, "authors": name_authors(post), "url": post.url})


def explain_failure(error: BaseException) -> str:
    """Return the message of an error for clients; an unexpected exception is logged."""
    if isinstance(error, BlogSearchError):
        return replace_surrogates(error.for_clients)
    log.error("A request failed.", exc_info=error)
    return "Internal error; the server's log has the details."
