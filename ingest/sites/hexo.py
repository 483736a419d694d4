"""Hexo's rules: a file's place and its front matter in, the path of its page out.

Posts lie in `source/_posts` and follow the pattern `permalink`, which may name any field of
the front matter; other files below `source` keep their place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from blog_search_mcp.ingest.documents.address import Address
from blog_search_mcp.ingest.sites.slugs import encoded, hexo_slug

DEFAULT = ":year/:month/:day/:title/"
TOKEN = re.compile(r":(\w*[^_\W])", re.ASCII)
_SAFE = ";,/?:@&=+$-_.!~*'()#"
_IN_NAME = {"year": r"\d{4}", "month": r"\d{2}", "day": r"\d{2}", "i_month": r"\d{1,2}"}
_IN_NAME["i_day"] = _IN_NAME["i_month"]
_HIDDEN = frozenset(("id", "hash", "timestamp", "hour", "minute", "second"))
"""Tokens of a database or of the machine's clock."""


@dataclass(frozen=True, slots=True)
class Hexo:
    """What a site's configuration says about its paths."""

    permalink: str = DEFAULT
    source: str = "source"
    new_post_name: str = ":title.md"
    default_category: str = "uncategorized"
    categories: tuple[tuple[str, str], ...] = ()
    """`category_map`: what a category is called in a path."""
    defaults: tuple[tuple[str, str], ...] = ()
    """`permalink_defaults`."""
    lower_categories: bool = False
    asset_folders: bool = False
    index_shown: bool = True
    """Whether links keep `index.html` at their end."""
    html_shown: bool = True
    timezone: str = ""

    def path(self, place: str, address: Address) -> str | None:
        """Give the path of the file at `place` below the site's folder, `None` if unsure."""
        if not place.startswith(self.source + "/"):
            return None
        inner = place[len(self.source) + 1 :].rpartition(".")[0]
        if inner.startswith("_posts/"):
            path = self._post_path(inner.removeprefix("_posts/"), address)
        elif inner.startswith("_"):
            return None
        else:
            path = self._page_path(inner, address)
        return path and self._shown(encoded("/" + path.lstrip("/"), _SAFE))

    def unknown_tokens(self) -> tuple[str, ...]:
        """Name the tokens of the pattern that only Hexo itself can fill."""
        return tuple(f":{token}" for token in TOKEN.findall(self.permalink) if token in _HIDDEN)

    def _post_path(self, stem: str, address: Address) -> str | None:
        path = address.get("permalink") or self._expanded(stem, address)
        if path and self.asset_folders and not path.endswith(("/", ".html")):
            return path + "/"
        return path

    def _page_path(self, inner: str, address: Address) -> str:
        path = address.get("permalink")
        if not path:
            return inner + ".html"
        if path.endswith("/"):
            return path + "index.html"
        return path if "." in path.rpartition("/")[2] else path + ".html"

    def _shown(self, path: str) -> str:
        if path.endswith("index.html"):
            return path if self.index_shown else path.removesuffix("index.html")
        return path if self.html_shown else path.removesuffix(".html")

    def _expanded(self, stem: str, address: Address) -> str | None:
        named = self._in_name(stem)
        slug = named.get("title") or hexo_slug(stem)
        when = self._day(named, address)
        facts = {**dict(self.defaults), **dict(address.fields), **_days(when)}
        if slug is None:
            return None
        facts |= {"title": slug, "slug": slug, "name": slug.rpartition("/")[2]}
        parts: list[str] = []
        end = 0
        for token in TOKEN.finditer(self.permalink):
            value = self._value(token[1], facts, address)
            if not value:
                return None
            parts += [self.permalink[end : token.start()], value]
            end = token.end()
        return "".join([*parts, self.permalink[end:]])

    def _value(self, token: str, facts: dict[str, str], address: Address) -> str | None:
        if token in _HIDDEN or (token in _days(date.min) and token not in _IN_NAME):
            return None
        if token == "post_title":
            return hexo_slug(address.get("title"), lower=True)
        if token == "category":
            return self._category(address)
        return facts.get(token.lower())

    def _in_name(self, stem: str) -> dict[str, str]:
        """Read what `new_post_name` says a file's name is made of."""
        pattern = re.escape(self.new_post_name.rpartition(".")[0])
        named = TOKEN.sub(lambda token: f"(?P<{token[1]}>{_IN_NAME.get(token[1], '.+?')})", pattern)
        try:
            found = re.fullmatch(named, stem)
        except re.error:
            return {}
        return found.groupdict() if found else {}

    def _day(self, named: dict[str, str], address: Address) -> date | None:
        if address.get("date"):
            return address.day_in(self.timezone)
        month, day = named.get("month", named.get("i_month")), named.get("day", named.get("i_day"))
        try:
            return date(int(named["year"]), int(month or 0), int(day or 0))
        except (KeyError, ValueError):
            return None

    def _category(self, address: Address) -> str | None:
        if address.nested:
            return None
        names = address.categories or tuple(filter(None, [address.get("category")]))
        known = dict(self.categories)
        slugs = [hexo_slug(known.get(name, name), lower=self.lower_categories) for name in names]
        if None in slugs:
            return None
        return "/".join(filter(None, slugs)) or self.default_category


def _days(when: date | None) -> dict[str, str]:
    if when is None:
        return dict.fromkeys(_IN_NAME, "")
    return {
        "year": f"{when.year:04}",
        "month": f"{when:%m}",
        "day": f"{when:%d}",
        "i_month": str(when.month),
        "i_day": str(when.day),
    }
