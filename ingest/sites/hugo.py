"""Hugo's rules: a file's place and its front matter in, the path of its page out.

The path is that of Hugo's `.Permalink` below the base URL: sections and bundles make it, a
pattern of `permalinks` replaces it, `url` and `slug` of the front matter come first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from blog_search_mcp.ingest.documents.address import Address
from blog_search_mcp.ingest.documents.dates import MONTHS, WEEKDAYS
from blog_search_mcp.ingest.sites.slugs import encoded, hugo_slug

TOKEN = re.compile(r":\w+(?:\[.+?\])?")
DAYS: dict[str, Callable[[date], str]] = {
    "year": lambda day: str(day.year),
    "month": lambda day: f"{day:%m}",
    "monthname": lambda day: MONTHS[day.month - 1],
    "day": lambda day: f"{day:%d}",
    "weekday": lambda day: str(day.isoweekday() % 7),
    "weekdayname": lambda day: WEEKDAYS[day.weekday()],
    "yearday": lambda day: str(day.timetuple().tm_yday),
}
"""What a token of the date becomes."""
NAMES = {
    *("section", "sections", "title", "slug", "slugorfilename", "filename"),
    *("contentbasename", "slugorcontentbasename"),
}
"""The other tokens that can be filled in without asking other pages."""


def unknown(patterns: Sequence[str]) -> tuple[str, ...]:
    """Name the tokens that are none of Hugo's, or need more than the post itself."""
    tokens = [found[1:] for pattern in patterns for found in TOKEN.findall(pattern)]
    known = NAMES | DAYS.keys()
    return tuple(f":{token}" for token in tokens if token.partition("[")[0] not in known)


def sliced(folders: Sequence[str], cut: str) -> Sequence[str]:
    """Slice as `[1:]`, `[:2]`, `[0]` and `[last]` do; a place that is not there gives nothing."""
    bounds = [_place(bound, len(folders)) for bound in cut.lower().split(":")]
    if len(bounds) == 1:
        at = bounds[0]
        return folders[at : at + 1] if at is not None else []
    return folders[bounds[0] : bounds[1]]


def _place(bound: str, count: int) -> int | None:
    if bound == "last":
        return max(count - 1, 0)
    return int(bound) if bound.isdecimal() else None


_DATED = re.compile(r"^(\d{4}-\d{2}-\d{2})(?:[-_ ]+|$)")
_SAFE = "/!'()*$&+,:;=@-_.~"


@dataclass(frozen=True, slots=True)
class _Page:
    """One page's place."""

    address: Address
    folder: str
    """Below the content folder, without the folder of a bundle."""
    name: str
    """Of the file without ending and language, of the folder for a bundle."""


@dataclass(frozen=True, slots=True)
class Hugo:
    """What a site's configuration says about its paths."""

    contents: tuple[tuple[str, str], ...] = (("", "content"),)
    """Language and content folder below the site's; `""` for the language of no folder."""
    patterns: tuple[tuple[str, str], ...] = ()
    """Of pages, by their section; `*` for any."""
    section_patterns: tuple[str, ...] = ()
    """Sections whose list pages have a pattern of their own."""
    default_language: str = "en"
    languages: tuple[str, ...] = ()
    """The other ones that are served below the same base URL."""
    foreign: tuple[str, ...] = ()
    """Languages with a base URL of their own."""
    default_in_subdir: bool = False
    ugly: tuple[str, ...] = ()
    """Sections whose pages are `name.html`; `*` for all."""
    lower: bool = True
    dated_names: bool = False
    """Whether a day in a file's name is its date and no part of its slug."""
    titles: bool = True
    """Whether `:slug` falls back on the title and not on the file's name."""
    sections: tuple[str, ...] = ()
    """Folders below the content folder that hold an `_index`."""
    bundles: frozenset[str] = frozenset()
    """Folders, as places, that hold an `index`: other files in them are no pages."""

    def path(self, place: str, address: Address) -> str | None:
        """Give the path of the file at `place` below the site's folder, `None` if unsure."""
        found = self._content(place)
        if found is None or self._is_resource(place):
            return None
        language, inner = found
        folder, _, file = inner.rpartition("/")
        name, language = self._name(file.rpartition(".")[0], language)
        if language in self.foreign:
            return None
        page = _Page(address, folder, name)
        path = self._path(page, self._prefix(language))
        return path and encoded(path, _SAFE)

    def unknown_tokens(self) -> tuple[str, ...]:
        """Name the tokens of the patterns that are none of Hugo's, or not known here."""
        return unknown([pattern for _, pattern in self.patterns])

    def _is_resource(self, place: str) -> bool:
        folder, _, name = place.rpartition("/")
        above = folder.rpartition("/")[0] if name.startswith("index.") else folder
        return any(f"{above}/".startswith(f"{bundle}/") for bundle in self.bundles)

    def _content(self, place: str) -> tuple[str, str] | None:
        for language, folder in sorted(self.contents, key=lambda pair: -len(pair[1])):
            if not folder or place.startswith(folder + "/"):
                return language, place[len(folder) + 1 :] if folder else place
        return None

    def _name(self, stem: str, language: str) -> tuple[str, str]:
        name, _, suffix = stem.rpartition(".")
        if name and suffix.lower() in (self.default_language, *self.languages, *self.foreign):
            return name, suffix.lower()
        return stem, language or self.default_language

    def _prefix(self, language: str) -> str:
        own = language != self.default_language or self.default_in_subdir
        return f"/{language}" if own else ""

    def _path(self, page: _Page, prefix: str) -> str | None:
        if url := page.address.get("url"):
            return self._own_url(page, url, prefix)
        section = page.folder.partition("/")[0]
        if page.name == "_index":
            return None if section in self.section_patterns else prefix + self._list(page.folder)
        if page.name == "index":
            if not page.folder:
                return None
            folder, _, name = page.folder.rpartition("/")
            page = _Page(page.address, folder, name)
        pattern = dict(self.patterns).get(section) or dict(self.patterns).get("*")
        path = self._expanded(page, pattern) if pattern else self._by_place(page)
        if path is None:
            return None
        is_ugly = bool({section, "*"} & set(self.ugly))
        clean = hugo_slug(posixpath.normpath("/" + path).strip("/"), lower=self.lower)
        return f"{prefix}/{clean}" + (".html" if is_ugly else "/")

    def _own_url(self, page: _Page, url: str, prefix: str) -> str | None:
        path = self._expanded(page, url)
        if path is None or "://" in url:
            return None
        whole = path if path.startswith("/") else f"{prefix}/{path}"
        is_file = "." in posixpath.basename(whole)
        return whole if is_file or whole.endswith("/") else whole + "/"

    def _list(self, folder: str) -> str:
        clean = hugo_slug(folder, lower=self.lower)
        return (f"/{clean}/" if clean else "/") + ("index.html" if "*" in self.ugly else "")

    def _by_place(self, page: _Page) -> str:
        return f"{page.folder}/{self._slug(page) or page.name}"

    def _slug(self, page: _Page) -> str:
        dated = _DATED.match(page.name) if self.dated_names else None
        return page.address.get("slug") or (page.name[dated.end() :] if dated else "")

    def _expanded(self, page: _Page, pattern: str) -> str | None:
        parts: list[str] = []
        end = 0
        for token in TOKEN.finditer(pattern):
            value = self._value(page, token[0][1:])
            if value is None or "+" in value:
                return None
            parts += [pattern[end : token.start()], value]
            end = token.end()
        return "".join([*parts, pattern[end:]])

    def _value(self, page: _Page, token: str) -> str | None:
        name, _, cut = token.partition("[")
        if name in DAYS:
            day = self._day(page)
            return DAYS[name](day) if day else None
        if name in ("section", "sections"):
            folders = self._sections_of(page.folder)
            chosen = sliced(folders, cut.rstrip("]")) if cut else folders
            return "/".join(chosen[:1] if name == "section" else chosen)
        return hugo_slug(self._named(page, name), lower=self.lower) or None

    def _named(self, page: _Page, name: str) -> str:
        slug = self._slug(page)
        title = page.address.get("title").replace("/", "-")
        named = {
            "title": title,
            "slug": slug or (title if self.titles else page.name),
            "slugorfilename": slug or page.name,
            "slugorcontentbasename": slug or page.name,
            "filename": page.name,
            "contentbasename": page.name,
        }
        return named.get(name, "")

    def _day(self, page: _Page) -> date | None:
        dated = _DATED.match(page.name) if self.dated_names else None
        return (date.fromisoformat(dated[1]) if dated else None) or page.address.day

    def _sections_of(self, folder: str) -> list[str]:
        """Give the folders that are sections: the outermost one and those with an `_index`."""
        parts = folder.split("/") if folder else []
        paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        deepest = max((d for d, path in enumerate(paths) if path in self.sections), default=0)
        return parts[: deepest + 1]
