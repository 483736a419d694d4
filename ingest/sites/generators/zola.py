"""Zola: URLs follow the content folder; names are spelled in ASCII unless configured otherwise."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self
from unicodedata import category, combining, normalize

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.base import SiteGenerator
from blog_search_mcp.ingest.sites.config import get_map, get_text, read_first_config
from blog_search_mcp.ingest.sites.patterns import OUTSIDE, encode_unsafe, strip_folder

_DATED = re.compile(
    r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?\s?[_-](?P<slug>.+)$"
)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')
_LETTERS = dict(zip("ßæøđłþðœı", ["ss", "ae", "o", "d", "l", "th", "d", "oe", "i"], strict=True))
"""What is no letter with a mark, as deunicode spells it."""
_SIGNS = {"Pd", "Ps", "Pe", "Pi", "Pf", "Zs"}
"""Unicode's categories of hyphens, brackets, quotation marks and blanks."""


@dataclass(frozen=True, slots=True)
class Zola(SiteGenerator):
    """A Zola site."""

    name: ClassVar = "zola"
    config_files: ClassVar = ("zola.toml", "config.toml")
    home: ClassVar = "content"
    drafts_cover_sections: ClassVar = True

    slugs: Literal["on", "safe", "off"] = "on"
    """How names become parts of a path: spelled in ASCII, without forbidden signs, as they are."""
    keep_dates: bool = False
    languages: tuple[str, ...] = ()
    """Those besides the default one."""
    default_language: str = "en"
    doubt: str = ""

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Read `zola.toml` or `config.toml`."""
        config = read_first_config(folder, *cls.config_files) or {}
        if "base_url" not in config:
            return None
        slugify = get_map(config, "slugify")
        paths = slugify.get("paths")
        default = get_text(config, "default_language") or "en"
        return get_text(config, "base_url"), cls(
            slugs=paths if paths in ("safe", "off") else "on",
            keep_dates=slugify.get("paths_keep_dates") is True,
            languages=tuple(sorted({*get_map(config, "languages")} - {default})),
            default_language=default,
        )

    def publishes(self, place: str) -> bool:
        """Whether it lies in `content`: themes and templates do not."""
        return strip_folder("content", place) is not None

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the path of the post at `place`. Raises NoLink."""
        inner = strip_folder("content", place)
        if inner is None:
            raise NoLink(OUTSIDE)
        if not inner.endswith(".md"):
            raise NoLink("not a .md file, which are all that Zola publishes")
        folder, _, file = inner.rpartition("/")
        name, prefix = file.removesuffix(".md"), ""
        stem, dot, language = name.partition(".")
        if self.languages and dot and language != self.default_language:
            if language not in self.languages:
                raise NoLink("its language is none of the site's")
            name, prefix = stem, f"{language}/"
        path = self._path(folder, name, prefix, fields)
        return encode_unsafe(f"/{path.strip('/')}/" if path.strip("/") else "/")

    def _path(self, folder: str, name: str, prefix: str, fields: UrlFields) -> str:
        if name == "_index":
            return f"/{prefix}{folder}"
        if own := fields.get("path"):
            return own
        if name == "index" and not folder:
            return f"/{prefix}"
        if name.partition(".")[0] == "index" and folder:
            above, _, last = folder.rpartition("/")
            folder, name = above, last if name == "index" else name
        dated = None if self.keep_dates else _DATED.match(name)
        slug = self._slug(fields.get("slug") or (dated["slug"] if dated else name))
        if not slug:
            raise NoLink("no letter of its name can stand in an address")
        return f"{prefix}{folder}/{slug}" if folder else f"{prefix}{slug}"

    def _slug(self, text: str) -> str:
        if self.slugs == "on":
            return _spell_in_ascii(text)
        return text if self.slugs == "off" else _FORBIDDEN.sub("", text.rstrip(" ."))


def _spell_in_ascii(text: str) -> str:
    """Spell `Café au lait` as `cafe-au-lait`, with a hyphen for every run of signs.

    Zola spells every script by deunicode's tables; here Latin letters alone. Raises NoLink.
    """
    plain = (char for char in normalize("NFKD", text.lower()) if not combining(char))
    spelled = ["-" if category(char) in _SIGNS else _LETTERS.get(char, char) for char in plain]
    if not all(map(str.isascii, spelled)):
        raise NoLink("a name with letters that Zola may spell in another way")
    return re.sub("[^a-z0-9]+", "-", "".join(spelled)).strip("-")
