"""Hugo: sections and bundles make the path, unless `permalinks`, `url` or `slug` replace it.

Heading ids are those of its Markdown parser, Goldmark, in the style of GitHub, the default.
"""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Self

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.markdown.blocks import Heading, HeadingPart
from blog_search_mcp.index.posts.metadata import leaves, parse_date
from blog_search_mcp.index.posts.visibility import ZONE
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.base import Default, SiteGenerator
from blog_search_mcp.ingest.sites.config import (
    Config,
    get_map,
    get_text,
    lower_keys,
    read_config,
    read_first_config,
)
from blog_search_mcp.ingest.sites.links import (
    has_doubtful_parts,
    join_without_dashes,
    join_written,
    parse_id,
)
from blog_search_mcp.ingest.sites.patterns import (
    OUTSIDE,
    date_tokens,
    fill_pattern,
    percent_encode,
    strip_folder,
)

_FILES = ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json")
_OLD_FILES = ("config.toml", "config.yaml", "config.yml", "config.json")
_KEYS = {"baseurl", "languagecode", "defaultcontentlanguage", "permalinks"}
"""One of these tells a Hugo configuration from another program's of that name."""
_TOKEN = re.compile(r":(\w+(?:\[[^\[\]]+\])?)")
_DATES = ("year", "month", "day")
_DATED = re.compile(r"^(\d{4}-\d{2}-\d{2})(?:[-_ ]+|$)")
_SAFE = "/!'()*$&+,:;=@-_.~"


@dataclass(frozen=True, slots=True)
class _Page:
    """One page's place."""

    fields: UrlFields
    folder: str
    """Below the content folder, without the folder of a bundle."""
    name: str
    """Of the file without ending and language, of the folder for a bundle."""


@dataclass(frozen=True, slots=True)
class Hugo(SiteGenerator):
    """A Hugo site."""

    name: ClassVar = "hugo"
    config_files: ClassVar = (*_FILES, *_OLD_FILES, "config")
    home: ClassVar = "content"
    takes_patterns: ClassVar = True

    contents: tuple[tuple[str, str], ...] = (("", "content"),)
    """Language and content folder below the site's; `""` for the language of no folder."""
    patterns: tuple[tuple[str, str], ...] = ()
    """Of pages, by their section; `*` for any."""
    section_patterns: tuple[str, ...] = ()
    """Sections whose list pages have a pattern of their own."""
    default_language: str = "en"
    languages: tuple[str, ...] = ()
    """The other ones that are served below the same base URL."""
    default_in_subdir: bool = False
    ugly: bool = False
    """Whether pages are `name.html`."""
    lower: bool = True
    dated_names: bool = False
    """Whether a day in a file's name is its date and no part of its slug."""
    titles: bool = True
    """Whether `:slug` falls back on the title and not on the file's name."""
    has_mounts: bool = False
    """Whether the configuration mounts folders, of which any may be a content folder."""
    is_assumed: bool = False
    """Whether nothing says that the site is Hugo's but a pattern: where its rules differ from
    what a reader of the pattern expects, no link is sure."""
    sections: tuple[str, ...] = ()
    """Folders below the content folder that hold an `_index`."""
    bundles: frozenset[str] = field(default=frozenset(), repr=False)
    """Places of folders that hold an `index`: other files in them are no pages. Every new post may
    be one, which must not make all other links anew."""
    has_heading_ids: bool = True
    defaults: tuple[Default, ...] = field(default=(), repr=False, compare=False)
    doubt: str = ""
    cascade: object = field(default=None, repr=False, hash=False)

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Read Hugo's configuration, one file or a folder of them; its keys know no case."""
        known = _read_settings(folder)
        languages = {
            code.lower(): lower_keys(get_map(own))
            for code, own in get_map(known, "languages").items()
        }
        has_addresses = any("baseurl" in own for own in languages.values())
        if not (has_addresses or _KEYS & known.keys()):
            return None
        default = get_text(known, "defaultcontentlanguage").lower() or "en"
        generator = cls(
            contents=_find_content_folders(known, languages),
            patterns=_read_patterns(known.get("permalinks")),
            section_patterns=tuple(sorted(get_map(known, "permalinks", "section"))),
            default_language=default,
            languages=tuple(sorted({*languages} - {default})),
            default_in_subdir=known.get("defaultcontentlanguageinsubdir") is True,
            ugly=known.get("uglyurls") is True,
            lower=known.get("disablepathtolower") is not True,
            dated_names=":filename" in leaves(get_map(known, "frontmatter").get("date")),
            has_mounts=bool(lower_keys(get_map(known, "module")).get("mounts")),
            has_heading_ids=_has_default_ids(lower_keys(get_map(known, "markup"))),
            defaults=(Default({ZONE: get_text(known, "timezone") or "UTC"}),),
            doubt=next(_find_doubts(known, has_addresses=has_addresses), ""),
            cascade=known.get("cascade"),
        )
        if ":section" in str(generator.patterns):
            sections = _find_sections(folder / generator.contents[-1][1])
            generator = replace(generator, sections=sections)
        return get_text(known, "baseurl"), generator

    def with_pattern(self, pattern: str) -> Self:
        """Use `pattern` for every post."""
        return replace(self, patterns=(("*", pattern),), doubt="")

    def with_places(self, places: Iterable[str]) -> Self:
        """Take note of which folders are bundles, and where a pattern needs it sections."""
        split = [place.rpartition("/") for place in places]
        bundles = frozenset(folder for folder, _, name in split if name.startswith("index."))
        sections = set(self.sections)
        if ":section" in str(self.patterns):
            lists = (folder for folder, _, name in split if name.startswith("_index."))
            sections |= {self._locate(f"{folder}/")[1] or "" for folder in lists}
        return replace(
            self,
            bundles=bundles - {"content"} if self.is_assumed else bundles,
            sections=tuple(sorted({folder.strip("/") for folder in sections} - {""})),
        )

    def publishes(self, place: str) -> bool:
        """Whether it lies in a content folder: themes, archetypes and layouts do not."""
        return self.has_mounts or self._locate(place)[1] is not None

    def content_root(self, place: str) -> str:
        """Return the longest of the content folders that `place` lies in."""
        folders = [f"{folder}/" for _, folder in self.contents if place.startswith(f"{folder}/")]
        return max(folders, key=len, default="content/")

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the path of the page at `place`, that of `.Permalink` below the base URL.

        Raises NoLink.
        """
        language, inner = self._locate(place)
        if inner is None:
            raise NoLink(OUTSIDE)
        if self._is_resource(place):
            raise NoLink("beside an index.md, so Hugo makes no page of it")
        folder, _, file = inner.rpartition("/")
        stem = file.rpartition(".")[0]
        name, _, suffix = stem.rpartition(".")
        if name and suffix.lower() in (self.default_language, *self.languages):
            language = suffix.lower()
        else:
            name, language = stem, language or self.default_language
        in_subdir = language != self.default_language or self.default_in_subdir
        path = self._path(_Page(fields, folder, name), f"/{language}" if in_subdir else "")
        return percent_encode(path, _SAFE)

    def heading_ids(self, headings: Sequence[Heading]) -> list[str | None]:
        """Give each heading the author's id, or one of its text that is not taken."""
        taken: set[str] = set()
        last: Counter[str] = Counter()
        ids: list[str | None] = []
        for heading in headings:
            braces = _ATTRIBUTES.search(heading.source)
            written = parse_id(braces[1]) if braces else ""
            slug = None if written else _heading_id(heading)
            if slug:
                written = f"{slug}-{last[slug]}" if last[slug] else slug
                while written in taken:
                    last[slug] += 1
                    written = f"{slug}-{last[slug]}"
            taken.add(written)
            ids.append(written)
        return ids

    def _locate(self, place: str) -> tuple[str, str | None]:
        """Return language and path below the content folder that `place` lies in, if in one."""
        longest_first = sorted(self.contents, key=lambda pair: -len(pair[1]))
        inside = ((code, strip_folder(folder, place)) for code, folder in longest_first)
        return next((pair for pair in inside if pair[1] is not None), ("", None))

    def _is_resource(self, place: str) -> bool:
        folder, _, name = place.rpartition("/")
        above = folder.rpartition("/")[0] if name.startswith("index.") else folder
        return any(each in self.bundles for each in accumulate(above.split("/"), "{}/{}".format))

    def _path(self, page: _Page, prefix: str) -> str:
        if url := page.fields.get("url"):
            if "://" in url:
                raise NoLink("its url is a whole address")
            path = self._fill_pattern(page, url)
            whole = path if path.startswith("/") else f"{prefix}/{path}"
            is_file = "." in posixpath.basename(whole)
            return whole if is_file or whole.endswith("/") else whole + "/"
        section = page.folder.partition("/")[0]
        if page.name == "_index":
            clean = _sanitize(_hyphenate(page.folder), lower=self.lower)
            if section in self.section_patterns:
                raise NoLink("the list page of a section with a pattern of its own")
            return prefix + (f"/{clean}/" if clean else "/") + ("index.html" if self.ugly else "")
        if page.name == "index":
            if not page.folder:
                raise NoLink("the index.md of the whole blog")
            folder, _, name = page.folder.rpartition("/")
            page = _Page(page.fields, folder, name)
        if pattern := dict(self.patterns).get(section) or dict(self.patterns).get("*"):
            path = self._fill_pattern(page, pattern)
        else:
            name = self._slug_and_date(page)[0] or _hyphenate(page.name)
            path = f"{_hyphenate(page.folder)}/{name}"
        clean = _sanitize(posixpath.normpath("/" + path).strip("/"), lower=self.lower)
        return f"{prefix}/{clean}" + (".html" if self.ugly else "/")

    def _slug_and_date(self, page: _Page) -> tuple[str, date | None]:
        """Return the slug, `""` for none of its own, and the date of a page."""
        dated = _DATED.match(page.name) if self.dated_names else None
        slug = page.fields.get("slug") or (page.name[dated.end() :] if dated else "")
        clean = _sanitize(slug, lower=self.lower).strip("-")
        return clean, (parse_date(dated[1]) if dated else None) or page.fields.written_date

    def _fill_pattern(self, page: _Page, pattern: str) -> str:
        slug, day = self._slug_and_date(page)
        sections = self._sections_of(page.folder)
        is_section = "/".join(sections) == page.folder
        if self.is_assumed and ":sections" in pattern and not is_section:
            raise NoLink(
                "in a folder without _index.md, no section in Hugo (hugo:PATTERN takes Hugo's rule)"
            )
        title = page.fields.get("title").replace("/", "-")
        dates = date_tokens(day) if day else {}
        texts = {
            "title": title,
            "slug": slug or (title if self.titles else page.name),
            **dict.fromkeys(("slugorfilename", "slugorcontentbasename"), slug or page.name),
            **dict.fromkeys(("filename", "contentbasename"), page.name),
        }
        values = {
            **{token: dates.get(token) for token in _DATES},
            "section": _hyphenate("".join(sections[:1])),
            "sections": _hyphenate("/".join(sections)),
            **{token: _sanitize(text, lower=self.lower) or None for token, text in texts.items()},
        }
        sure = {token: None if "+" in (text or "") else text for token, text in values.items()}
        return fill_pattern(pattern, _TOKEN, sure)

    def _sections_of(self, folder: str) -> list[str]:
        """Return the folders that are sections: the outermost one and those with an `_index`."""
        parts = folder.split("/") if folder else []
        paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        deepest = max((d for d, path in enumerate(paths) if path in self.sections), default=0)
        return parts[: deepest + 1]


def _read_settings(folder: Path) -> Config:
    """Read the configuration's files as one mapping, those of `config/` over that of the site."""
    config: dict[str, Any] = {}
    for place in (folder / "config" / "_default", folder / "config" / "production"):
        for path in sorted(place.glob("*.*")):
            part = read_config(path) or {}
            config |= part if path.stem in ("hugo", "config") else {path.stem: part}
    of_site = read_first_config(folder, *_FILES) or read_first_config(folder, *_OLD_FILES)
    return lower_keys({**(of_site or {}), **config})


def _find_doubts(known: Config, *, has_addresses: bool) -> Iterator[str]:
    """Yield why no page's address is sure, by the settings that make it so."""
    if has_addresses:
        yield "the site's languages have base URLs of their own"
    if isinstance(known.get("uglyurls"), Mapping):
        yield "uglyURLs differs by the section"
    if isinstance(known.get("permalinks"), list):
        yield "permalinks is a list of targets"


def _find_content_folders(
    known: Config, languages: Mapping[str, Config]
) -> tuple[tuple[str, str], ...]:
    """Return `Hugo.contents`, sorted by language, the folder of no language last."""
    own = [(code, get_text(keys, "contentdir").strip("./")) for code, keys in languages.items()]
    of_no_language = get_text(known, "contentdir").strip("./") or "content"
    return (*sorted(pair for pair in own if pair[1]), ("", of_no_language))


def _find_sections(content: Path) -> tuple[str, ...]:
    """Return the folders below `content` that hold an `_index`, sorted."""
    folders = {path.parent.relative_to(content).as_posix() for path in content.rglob("_index.*")}
    return tuple(sorted(folders - {"."}))


def _read_patterns(permalinks: object) -> tuple[tuple[str, str], ...]:
    flat = lower_keys(get_map(permalinks))
    pages = {**flat, **get_map(flat, "page")}
    found = {name.strip(" /"): text for name, text in pages.items() if isinstance(text, str)}
    return tuple(sorted(found.items()))


def _has_default_ids(markup: Config) -> bool:
    parser = lower_keys(get_map(lower_keys(get_map(markup, "goldmark")), "parser"))
    return (
        markup.get("defaultmarkdownhandler", "goldmark") == "goldmark"
        and parser.get("autoheadingid") is not False
        and parser.get("autoheadingidtype", "github") == "github"
        and parser.get("autoidtype", "github") == "github"
    )


def _hyphenate(path: str) -> str:
    """Write a file's path as Hugo 0.168 does; 0.111 has one hyphen for a run of spaces."""
    return path.replace(" ", "-")


def _sanitize(text: str, *, lower: bool = True) -> str:
    """Keep letters, digits and the signs of a path; slashes stay, spaces are hyphens."""
    kept: list[str] = []
    gap = False
    for char in unicodedata.normalize("NFC", text):
        category = unicodedata.category(char)
        if char in "./\\_#+~-@" or category[0] in "LM" or category == "Nd":
            if gap and char != "-":
                kept.append("-")
            gap = False
            kept.append(char)
        elif kept and char.isspace() and kept[-1] != "-":
            gap = True
    return "".join(kept).lower() if lower else "".join(kept)


_ATTRIBUTES = re.compile(
    r"(?<!\s)\s*\{\s*+"
    r"((?:(?:[#.][^\s#.{}\"'=]++|[\w:-]++=(?:\"[^\"]*\"|'[^']*'|[^\s{}\"']++))[\s,]*+)++)\}\s*$"
)
_BARE_LINK = re.compile(r"\w://|\bwww\.|\w@\w")


def _heading_id(heading: Heading) -> str | None:
    """Return the id made of what the heading shows, `None` if it is not sure."""
    *before, end = heading.parts or [HeadingPart("text", "")]
    parts = [*before, HeadingPart(end.kind, _ATTRIBUTES.sub("", end.text))]
    if has_doubtful_parts(parts, heading.source) or _BARE_LINK.search(join_written(parts)):
        return None
    breaks = [place for place, part in enumerate(parts) if part.kind == "break"]
    last_line = parts[breaks[-1] + 1 :] if breaks else parts
    shown = join_without_dashes([part for part in last_line if part.kind not in ("html", "link")])
    return "".join(_id_letter(char) for char in shown.strip().lower()) or "heading"


def _id_letter(char: str) -> str:
    if char in "-_ ":
        return "-" if char == " " else char
    category = unicodedata.category(char)
    return char if category[0] == "L" or category == "Nd" else ""
