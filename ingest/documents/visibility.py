"""Front matter fields and a file's place come in; whether the post is public goes out.

Each generator's own rules, without asking which generator it is: what one of them keeps from
readers is kept from readers here. Pure: today's date is an argument.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Literal, TypeAlias

from blog_search_mcp.ingest.documents.dates import PUBLISH_FIELDS, find_date, first_date
from blog_search_mcp.ingest.documents.fields import Fields, named, text

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


def left_out(fields: Fields, source: str, today: date) -> LeftOut | None:
    """Say why a post is not published on `today`, `None` if it is.

    A post is a draft by `draft`, `published: false`, `publish: false`, `permalink: false`,
    `status: draft`, a `_drafts` folder, or by being kept out of the site's own lists
    (`unlisted`, `hidden`, `private`, `eleventyExcludeFromCollections`, `build.list: never`);
    future by its publication date, else its date; expired from the day after it expires.
    """
    known = named(fields)
    if _is_draft(known, source):
        return "draft"
    published = _published(known, source)
    if published and published > today:
        return "future"
    expiry = first_date(known, _EXPIRES_ON)
    return "expired" if expiry and expiry < today else None


def expires(fields: Fields) -> str | None:
    """Give the last ISO day on which the post is published, `None` if it does not expire."""
    expiry = first_date(named(fields), _EXPIRES_ON)
    return expiry.isoformat() if expiry else None


def due(fields: Fields, source: str, today: date) -> str | None:
    """Give the first ISO day after `today` on which the post appears or goes by itself."""
    known = named(fields)
    if _is_draft(known, source):
        return None
    published = _published(known, source)
    if published and published > today:
        return published.isoformat()
    going = day_after(expires(fields))
    return going if going and going > today.isoformat() else None


def day_after(day: str | None) -> str | None:
    """Give the ISO day after an ISO day; `None` after none, and after the last one there is."""
    if day is None or day == date.max.isoformat():
        return None
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _published(known: Fields, source: str) -> date | None:
    return first_date(known, PUBLISH_FIELDS) or find_date(known, source)


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
    return isinstance(build, Mapping) and text(build.get("list")).lower() in {*_NO, "never"}


def _word(known: Fields, name: str) -> str:
    return text(known.get(name)).lower()
