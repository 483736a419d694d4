"""Hexo: posts in `source/_posts` follow a pattern, which may name any field of the front matter.

Other files below `source` keep their place. Heading ids depend on the renderer and its plugins
and are not known.
"""

import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import ClassVar, Self

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.visibility import LOCKED_WHEN, ZONE
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.base import Default, SiteGenerator
from blog_search_mcp.ingest.sites.config import get_map, get_text, read_config, read_first_config
from blog_search_mcp.ingest.sites.patterns import (
    OUTSIDE,
    date_tokens,
    fill_pattern,
    percent_encode,
    strip_folder,
)

_TOKEN = re.compile(r":(\w*[^_\W])", re.ASCII)
_SAFE = ";,/?:@&=+$-_.!~*'()#"
_IN_NAME = {"year": (4,), "month": (2,), "day": (2,), "i_month": (2, 1), "i_day": (2, 1)}
"""Tokens of the date, with the digits that each may have in a file's name."""
MOST_TOKENS = 20
_UNKNOWN = frozenset(("id", "hash", "timestamp", "hour", "minute", "second"))
"""Tokens of Hexo's database or of the building machine's clock."""
_KEYS = {"source_dir", "public_dir", "new_post_name", "default_layout", "permalink_defaults"}
"""One of these tells a Hexo configuration from Jekyll's of the same file name."""


@dataclass(frozen=True, slots=True)
class Hexo(SiteGenerator):
    """A Hexo site."""

    name: ClassVar = "hexo"
    config_files: ClassVar = ("_config.yml", "_config.yaml")
    home: ClassVar = "source"
    takes_patterns: ClassVar = True

    pattern: str = ":year/:month/:day/:title/"
    source: str = "source"
    new_post_name: str = ":title.md"
    default_category: str = "uncategorized"
    has_plain_categories: bool = True
    """Whether categories have no other names or case in a path."""
    asset_folders: bool = False
    index_shown: bool = True
    """Whether links keep `index.html` at their end."""
    html_shown: bool = True
    timezone: str = ""
    defaults: tuple[Default, ...] = field(default=(), repr=False, compare=False)
    doubt: str = ""

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Read `_config.yml` if its keys, `package.json` or the folders are Hexo's."""
        config = read_first_config(folder, *cls.config_files) or {}
        package = read_config(folder / "package.json") or {}
        uses_hexo = "hexo" in package or "hexo" in get_map(package, "dependencies")
        has_posts = (folder / "source" / "_posts").is_dir()
        if not config or not (uses_hexo or has_posts or _KEYS & config.keys()):
            return None
        tags = get_map(config, "encrypt").get("tags")  # of hexo-blog-encrypt
        names = [get_text(get_map(tag), "name") for tag in tags] if isinstance(tags, list) else []
        locked = {"tags": ",".join(names)} if names else {}
        pretty = get_map(config, "pretty_urls")
        default = cls()
        return get_text(config, "url"), cls(
            pattern=get_text(config, "permalink") or default.pattern,
            source=get_text(config, "source_dir").strip("./") or default.source,
            new_post_name=get_text(config, "new_post_name") or default.new_post_name,
            default_category=get_text(config, "default_category") or default.default_category,
            has_plain_categories=not (config.get("category_map") or config.get("filename_case")),
            asset_folders=config.get("post_asset_folder") is True,
            index_shown=pretty.get("trailing_index") is not False,
            html_shown=pretty.get("trailing_html") is not False,
            timezone=get_text(config, "timezone"),
            defaults=(Default({ZONE: get_text(config, "timezone"), LOCKED_WHEN: locked}),),
        )

    def with_pattern(self, pattern: str) -> Self:
        """Use `pattern` for every post."""
        return replace(self, pattern=pattern)

    def guess_prefix(self, content: Path) -> str:
        """Take the folder for the site's, for `source` or for `_posts`, by what it holds."""
        if (content / "source").is_dir():
            return ""
        return "source/" if (content / "_posts").is_dir() else "source/_posts/"

    def publishes(self, place: str) -> bool:
        """Whether it lies in `source`: scaffolds and themes do not."""
        return strip_folder(self.source, place) is not None

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the path of the post or page at `place`. Raises NoLink."""
        inner = strip_folder(self.source, place)
        if inner is None:
            raise NoLink(OUTSIDE)
        stem = inner.rpartition(".")[0]
        own = fields.get("permalink")
        if stem.startswith("_posts/"):
            path = own or self._fill_pattern(stem.removeprefix("_posts/"), fields)
            if self.asset_folders and not path.endswith(("/", ".html")):
                path += "/"
        elif stem.startswith("_"):
            raise NoLink("in a folder with _, which Hexo does not publish")
        elif own:
            raise NoLink("a page with a permalink of its own")
        else:
            path = stem + ".html"
        encoded = percent_encode("/" + path.lstrip("/"), _SAFE)
        if encoded.endswith("index.html"):
            return encoded if self.index_shown else encoded.removesuffix("index.html")
        return encoded if self.html_shown else encoded.removesuffix(".html")

    def _fill_pattern(self, stem: str, fields: UrlFields) -> str:
        in_name = _read_name(self.new_post_name.rpartition(".")[0], stem)
        slug = in_name.get("title") or _slug(stem)
        if slug is None:
            raise NoLink("a file name with letters that Hexo may spell in another way")
        day = self._date(in_name, fields)
        dates = date_tokens(day) if day else {}
        values = {
            **fields.texts,
            **{name: dates.get(name) for name in _IN_NAME},
            **dict.fromkeys(("title", "slug"), slug),
            "name": slug.rpartition("/")[2],
            "post_title": (_slug(fields.get("title")) or "").lower(),
            "category": self._category(fields),
        }
        filled = {
            token: values.get(token.lower()) or None
            for token in _TOKEN.findall(self.pattern)
            if token.lower() not in _UNKNOWN
        }
        return fill_pattern(self.pattern, _TOKEN, filled)

    def _date(self, in_name: dict[str, str], fields: UrlFields) -> date | None:
        if fields.get("date"):
            return fields.date_in(self.timezone)
        month = in_name.get("month", in_name.get("i_month"))
        day = in_name.get("day", in_name.get("i_day"))
        try:
            return date(int(in_name["year"]), int(month or 0), int(day or 0))
        except (KeyError, ValueError):
            return None

    def _category(self, fields: UrlFields) -> str | None:
        if fields.has_nested_category or not self.has_plain_categories:
            return None
        names = fields.categories or tuple(filter(None, [fields.get("category")]))
        slugs = [_slug(name) for name in names]
        return None if None in slugs else "/".join(filter(None, slugs)) or self.default_category


def _read_name(pattern: str, stem: str) -> dict[str, str]:
    """Read the tokens of `new_post_name` out of a file's name, the first ones as short as can be.

    A pattern of more than MOST_TOKENS has none.
    """
    first, *parts = _TOKEN.split(pattern)
    tokens, behind = parts[::2][: MOST_TOKENS + 1], parts[1::2]
    reached = {len(first): list[str]()} if stem.startswith(first) else {}
    for token, literal in zip(tokens, behind, strict=False):
        starts, reached, least = reached, {}, len(stem)
        for at, values in starts.items():
            for width in _IN_NAME.get(token) or range(1, least - at + 1):
                value = stem[at : at + width]
                is_right = token not in _IN_NAME or (len(value) == width and value.isdecimal())
                if is_right and stem.startswith(literal, at + width):
                    reached.setdefault(at + width + len(literal), [*values, value])
            least = min(least, at)  # what is behind it has been reached
    fits = len(tokens) <= MOST_TOKENS and len(stem) in reached
    return dict(zip(tokens, reached[len(stem)], strict=True)) if fits else {}


_SEPARATORS = re.compile(r"[\s\ufeff~`!@#$%^&*()\-_+=[\]{}|\\;:\"'<>,.?/]+")


def _slug(text: str) -> str | None:
    """Put a hyphen for every run of ASCII signs; letters that are not Latin stay.

    `None` if Hexo's own table of letters may have another spelling.
    """
    letters = []
    for char in text:
        letter = char
        if not char.isascii() and "LATIN" in unicodedata.name(char, ""):
            letter = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
        if len(letter) != 1:
            return None
        letters.append(letter)
    return _SEPARATORS.sub("-", "".join(letters)).strip("-")
