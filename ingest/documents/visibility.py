"""Decide by a post's front matter and place whether it is public.

These are the rules of all generators, whichever the blog uses: what one of them keeps from readers
is kept from readers here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, TypeAlias

from blog_search_mcp.ingest.documents.dates import PUBLISH_FIELDS, find_date, first_date
from blog_search_mcp.ingest.documents.fields import Fields, normalize_names, to_text

LeftOut: TypeAlias = Literal["draft", "future", "expired"]

_EXPIRES_ON = ("expirydate", "expires", "unpublishdate")
_HIDDEN_BY_YES = ("draft", "unlisted", "private", "hidden", "eleventyexcludefromcollections")
"""Docusaurus's `unlisted` and Eleventy's exclusion leave a page reachable by its address, but out
of the site's lists and search; this is a list and a search."""
_HIDDEN_BY_NO = ("published", "publish", "permalink")
"""Of Jekyll and Hexo, of Obsidian, and of Eleventy, which writes no page for the last."""
_HIDDEN_STATES = {"draft", "private", "hidden", "unpublished", "pending"}
_YES = {"true", "yes", "on", "1", "y"}
_NO = {"false", "no", "off", "0", "n"}


@dataclass(frozen=True, slots=True)
class Visibility:
    """Whether a post is public on a day, and until when that holds; days are ISO 8601."""

    left_out: LeftOut | None
    """Why it is not public, `None` if it is."""
    expires: str | None
    """The last day on which it is public, `None` if it does not expire."""
    due: str | None
    """The first later day on which it appears or goes by itself, `None` if never."""


def check_visibility(fields: Fields, source: str, today: date) -> Visibility:
    """Decide whether a post is public on `today`.

    A post is a draft by `draft`, `published: false`, `publish: false`, `permalink: false`,
    `status: draft`, a `_drafts` folder, or by being kept out of the site's own lists
    (`unlisted`, `hidden`, `private`, `eleventyExcludeFromCollections`, `build.list: never`);
    future by its publication date, else its date; expired from the day after it expires.
    """
    known = normalize_names(fields)
    expiry = first_date(known, _EXPIRES_ON)
    expires = expiry.isoformat() if expiry else None
    if _is_draft(known, source):
        return Visibility("draft", expires, None)
    published = first_date(known, PUBLISH_FIELDS) or find_date(known, source)
    if published and published > today:
        return Visibility("future", expires, published.isoformat())
    if expiry and expiry < today:
        return Visibility("expired", expires, None)
    return Visibility(None, expires, day_after(expires))


def day_after(day: str | None) -> str | None:
    """Return the ISO day after an ISO day; `None` after none, and after the last one there is."""
    if day is None or day == date.max.isoformat():
        return None
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _is_draft(known: Fields, source: str) -> bool:
    return (
        any(_word(known, name) in _YES for name in _HIDDEN_BY_YES)
        or any(_word(known, name) in _NO for name in _HIDDEN_BY_NO)
        or _word(known, "status") in _HIDDEN_STATES
        or _is_never_listed(known.get("build"))
        or "_drafts" in source.split("/")[:-1]
    )


def _is_never_listed(build: object) -> bool:
    """Read Hugo's build options, `build` or `_build`."""
    return isinstance(build, Mapping) and to_text(build.get("list")).lower() in {*_NO, "never"}


def _word(known: Fields, name: str) -> str:
    return to_text(known.get(name)).lower()
