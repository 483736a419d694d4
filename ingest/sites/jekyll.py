"""Jekyll's rules: a file's place and its front matter in, the path of its page out.

Posts lie in `_posts` with a day in their names; other files with front matter are pages.
Collections are left out: whether and where they are rendered is seldom said in one place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from blog_search_mcp.ingest.documents.address import Address
from blog_search_mcp.ingest.documents.dates import MONTHS, WEEKDAYS, day
from blog_search_mcp.ingest.sites.slugs import encoded, jekyll_slug, jekyll_title

STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
TOKEN = re.compile(r":([a-z_]+)")
_POST = re.compile(r"^(\d{2,4}-\d{1,2}-\d{1,2})-(.*)$")
_SAFE = "/!$&'()*+,;=:@-._~"
_DAYS = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "short_year": "%y",
    "y_day": "%j",
    "week": "%V",
    "w_year": "%G",
    "w_day": "%u",
}
_NAMES = {"categories", "slugified_categories", "title", "slug", "output_ext", "collection"}
_DATE_NAMES = {"i_day", "i_month", "short_month", "long_month", "short_day", "long_day"}


@dataclass(frozen=True, slots=True)
class Jekyll:
    """What a site's configuration says about its paths."""

    permalink: str = "date"
    """A style's name or a pattern."""
    patterns: tuple[tuple[str, str], ...] = ()
    """Patterns that `defaults` give the posts below a folder; the longest folder counts."""
    source: str = ""
    """The folder of the sources below the site's."""
    timezone: str = ""

    def path(self, place: str, address: Address) -> str | None:
        """Give the path of the file at `place` below the site's folder, `None` if unsure."""
        inner = _below(self.source, place)
        if inner is None:
            return None
        folders, _, file = inner.rpartition("/")
        stem = file.rpartition(".")[0].rstrip(".")
        parts = folders.split("/") if folders else []
        if "_posts" in parts:
            path = self._post_path(parts[: parts.index("_posts")], inner, stem, address)
        elif any(part.startswith("_") for part in parts) or not address.written:
            return None
        else:
            path = self._page_path(folders, stem, address)
        return path and _squeezed(path)

    def unknown_tokens(self) -> tuple[str, ...]:
        """Name the tokens of the patterns that are none of Jekyll's, or not known here."""
        patterns = (self._pattern(""), *(pattern for _, pattern in self.patterns))
        tokens = [token for pattern in patterns for token in TOKEN.findall(pattern)]
        return tuple(f":{token}" for token in tokens if _known(token) is None)

    def _pattern(self, inner: str) -> str:
        fitting = [pair for pair in self.patterns if _below(pair[0], inner) is not None]
        style = max(fitting, key=lambda pair: len(pair[0]), default=("", self.permalink))[1]
        return STYLES.get(style, style)

    def _post_path(self, above: list[str], inner: str, stem: str, address: Address) -> str | None:
        dated = _POST.match(stem)
        if dated is None:
            return None
        written = day(dated[1])
        when = address.day_in(self.timezone, naive_is_utc=True) if address.get("date") else written
        slug = address.get("slug") or dated[2]
        facts = _facts(slug, _categories(above, address), when)
        return _expanded(address.get("permalink") or self._pattern(inner), facts)

    def _page_path(self, folders: str, stem: str, address: Address) -> str | None:
        if own := address.get("permalink"):
            return None if TOKEN.search(own) else encoded(own, _SAFE)
        if stem == "index":
            return encoded(f"/{folders}/", _SAFE)
        return encoded(f"/{folders}/{stem}", _SAFE) + self._page_ending()

    def _page_ending(self) -> str:
        style = self.permalink
        if style == "pretty" or style.endswith("/"):
            return "/"
        return ".html" if style in ("date", "ordinal", "none") or "output_ext" in style else ""


def _below(folder: str, place: str) -> str | None:
    inside = not folder or place.startswith(folder + "/")
    return place[len(folder) + 1 if folder else 0 :] if inside else None


def _known(token: str) -> str | None:
    """Give the token's name; an underscore behind it may be none of it."""
    names = (token, token.removesuffix("_"))
    return next((name for name in names if name in _NAMES | _DATE_NAMES | _DAYS.keys()), None)


def _categories(above: list[str], address: Address) -> list[str]:
    listed = list(address.categories) if address.listed else address.get("categories").split()
    return [*above, *listed, *filter(None, [address.get("category")])]


def _facts(slug: str, categories: list[str], when: date | None) -> dict[str, str | None]:
    facts: dict[str, str | None] = {
        "categories": "/".join(dict.fromkeys(name.lower() for name in categories)),
        "slugified_categories": "/".join(dict.fromkeys(map(jekyll_slug, categories))),
        "title": jekyll_title(slug),
        "slug": jekyll_slug(slug),
        "output_ext": ".html",
        "collection": "posts",
    }
    if when is None:
        return facts
    weekday, month = WEEKDAYS[when.weekday()], MONTHS[when.month - 1]
    names = {"short_day": weekday[:3], "long_day": weekday, "short_month": month[:3]}
    numbers = {"i_day": str(when.day), "i_month": str(when.month), "long_month": month}
    days = {name: when.strftime(form) for name, form in _DAYS.items()}
    return {**facts, **days, **names, **numbers}


def _expanded(pattern: str, facts: dict[str, str | None]) -> str | None:
    parts: list[str] = []
    end = 0
    for token in TOKEN.finditer(pattern):
        name = _known(token[1])
        value = facts.get(name) if name else None
        if name is None or value is None:
            return None
        parts += [pattern[end : token.start()], encoded(value, _SAFE)]
        end = token.start() + 1 + len(name)
    return "".join([*parts, pattern[end:]])


def _squeezed(path: str) -> str:
    return re.sub("/+", "/", f"/{path}".replace("..", "/").replace("./", ""))
