"""Jekyll: dated files in `_posts` follow a pattern; other files with front matter are pages.

Collections have no URLs: whether and where they are rendered is seldom configured in one place.
Heading ids are kramdown's for GitHub's Markdown, the default.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import accumulate
from pathlib import Path
from typing import ClassVar, Self

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.markdown.blocks import Heading
from blog_search_mcp.index.posts.metadata import parse_date
from blog_search_mcp.index.posts.visibility import ZONE
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.base import Default, SiteGenerator
from blog_search_mcp.ingest.sites.config import (
    Config,
    get_map,
    get_text,
    list_texts,
    read_first_config,
)
from blog_search_mcp.ingest.sites.links import has_doubtful_parts, join_without_dashes, parse_id
from blog_search_mcp.ingest.sites.patterns import (
    DATE_TOKENS,
    OUTSIDE,
    date_tokens,
    fill_pattern,
    percent_encode,
    strip_folder,
)

_TOKEN = re.compile(r":([a-z_]+)")
_POST = re.compile(r"^(\d{2,4}-\d{1,2}-\d{1,2})-(.*)$")
_SAFE = "/!$&'()*+,;=:@-._~"

_POSTS = ("_posts", "_drafts")
_EXCLUDED = ("vendor/bundle", "vendor/cache", "vendor/gems", "vendor/ruby")
"""Of Jekyll's own list those that hold Markdown: gems that were installed beside the site."""


@dataclass(frozen=True, slots=True)
class Jekyll(SiteGenerator):
    """A Jekyll site."""

    name: ClassVar = "jekyll"
    config_files: ClassVar = ("_config.yml", "_config.yaml")
    takes_patterns: ClassVar = True
    styles: ClassVar = {
        "date": "/:categories/:year/:month/:day/:title:output_ext",
        "pretty": "/:categories/:year/:month/:day/:title/",
        "ordinal": "/:categories/:year/:y_day/:title:output_ext",
        "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
        "none": "/:categories/:title:output_ext",
    }

    pattern: str = "date"
    """A style's name or a pattern."""
    folder_patterns: tuple[tuple[str, str], ...] = ()
    """Patterns that `defaults` give the posts below a folder; the longest folder counts."""
    source: str = ""
    """The folder of the sources below the site's."""
    timezone: str = ""
    shown: tuple[str, ...] = ()
    """Folders with `_` that hold pages: those of collections, and what `include` names."""
    excluded: tuple[str, ...] = _EXCLUDED
    """Patterns of paths below the sources that are no part of the site."""
    has_heading_ids: bool = True
    defaults: tuple[Default, ...] = field(default=(), repr=False, compare=False)
    doubt: str = ""

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Read `_config.yml`; Hexo, whose file has the same name, must be ruled out before."""
        config = read_first_config(folder, *cls.config_files)
        if config is None:
            return None
        posts = get_map(config, "collections", "posts")
        url = get_text(config, "url").rstrip("/")
        base = get_text(config, "baseurl").strip("/")
        return f"{url}/{base}" if url else "", cls(
            pattern=get_text(posts, "permalink") or get_text(config, "permalink") or "date",
            folder_patterns=_folder_patterns(config.get("defaults")),
            source=get_text(config, "source").strip("./"),
            timezone=get_text(config, "timezone"),
            defaults=tuple(_read_defaults(config)),
            shown=(*_names_of_collections(config), *_paths(config.get("include"))),
            excluded=(*_EXCLUDED, *_paths(config.get("exclude"))),
            has_heading_ids=_has_default_ids(config),
        )

    def with_pattern(self, pattern: str) -> Self:
        """Use `pattern` for every post."""
        return replace(self, pattern=pattern, folder_patterns=())

    def guess_prefix(self, content: Path) -> str:
        """Take the folder for `_posts`, unless it holds one at any depth."""
        return "" if any(content.glob("**/_posts")) else "_posts/"

    def publishes(self, place: str) -> bool:
        """Whether it may be a post, of a collection or a page.

        https://jekyllrb.com/docs/structure/ and /configuration/options/: folders with `_` hold
        no pages but those that a collection or `include` names; `exclude` names more.
        """
        inner = strip_folder(self.source, place)
        if inner is None:
            return False
        above = list(accumulate(inner.split("/"), "{}/{}".format))
        if any(fnmatchcase(path, pattern) for path in above for pattern in self.excluded):
            return False
        return all(
            not folder.startswith("_") or folder in _POSTS or folder in self.shown
            for folder in inner.split("/")[:-1]
        )

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the path of the post or page at `place`. Raises NoLink."""
        inner = strip_folder(self.source, place)
        if inner is None:
            raise NoLink(OUTSIDE)
        folders, _, file = inner.rpartition("/")
        stem = file.rpartition(".")[0].rstrip(".")
        parts = folders.split("/") if folders else []
        if "_posts" in parts:
            path = self._post_path(parts[: parts.index("_posts")], inner, stem, fields)
        elif any(part.startswith("_") for part in parts):
            raise NoLink("in a folder with _ that holds no posts for Jekyll")
        elif not fields.has_front_matter:
            raise NoLink("no front matter, so Jekyll does not make a page of it")
        else:
            path = self._page_path(folders, stem, fields)
        return re.sub("/+", "/", f"/{path}".replace("..", "/").replace("./", ""))

    def heading_ids(self, headings: Sequence[Heading]) -> list[str | None]:
        """Number the second of equal ids `-1`, whether or not another heading is called so."""
        counts: Counter[str] = Counter()
        ids: list[str | None] = []
        for heading in headings:
            braces = _WRITTEN_ID.search(heading.source)
            below = parse_id(heading.after) if _ATTRIBUTE_LIST.match(heading.after) else ""
            if "\n" in heading.source:
                ids.append(None)
            elif braces or _ATTRIBUTE_LIST.match(heading.before):
                ids.append(braces[1] if braces else "")
            elif below or (slug := _heading_id(heading)) is None:
                ids.append(below)
            else:
                ids.append(f"{slug}-{counts[slug]}" if counts[slug] else slug)
                counts[slug] += 1
        return ids

    def _pattern(self, inner: str) -> str:
        fitting = [
            pair for pair in self.folder_patterns if strip_folder(pair[0], inner) is not None
        ]
        style = max(fitting, key=lambda pair: len(pair[0]), default=("", self.pattern))[1]
        return self.styles.get(style, style)

    def _post_path(self, above: list[str], inner: str, stem: str, fields: UrlFields) -> str:
        dated = _POST.match(stem)
        if dated is None:
            raise NoLink("no date at the start of the file's name, as Jekyll's posts have")
        if fields.get("date"):
            day = fields.date_in(self.timezone, naive_is_utc=True)
        else:
            day = parse_date(dated[1])
        listed = fields.categories
        if not fields.categories_are_listed:
            listed = tuple(fields.get("categories").split())
        categories = [*above, *listed, *filter(None, [fields.get("category")])]
        slug = fields.get("slug") or dated[2]
        values = {
            "categories": "/".join(dict.fromkeys(name.lower() for name in categories)),
            "slugified_categories": "/".join(dict.fromkeys(_slug(name) for name in categories)),
            "title": _hyphenate(slug, "._~!$&'()+,;=@"),
            "slug": _slug(slug),
            "output_ext": ".html",
            "collection": "posts",
        }
        dates = date_tokens(day) if day else dict.fromkeys(DATE_TOKENS)
        encoded = {token: percent_encode(value, _SAFE) for token, value in values.items()}
        return fill_pattern(
            fields.get("permalink") or self._pattern(inner), _TOKEN, dates | encoded
        )

    def _page_path(self, folders: str, stem: str, fields: UrlFields) -> str:
        if own := fields.get("permalink"):
            return percent_encode(fill_pattern(own, _TOKEN, {}), _SAFE)
        if stem == "index":
            return percent_encode(f"/{folders}/", _SAFE)
        path = percent_encode(f"/{folders}/{stem}", _SAFE)
        if self.pattern == "pretty" or self.pattern.endswith("/"):
            return path + "/"
        has_ending = self.pattern in ("date", "ordinal", "none") or "output_ext" in self.pattern
        return path + ".html" if has_ending else path


def _names_of_collections(config: Config) -> Iterator[str]:
    """Yield the folders of the collections, which are a list of names or a mapping by name."""
    collections = config.get("collections")
    names = collections if isinstance(collections, list | Mapping) else ()
    yield from (f"_{name}" for name in names)


def _paths(value: object) -> list[str]:
    """Return the paths of a list, without slashes at their ends."""
    return [path for text in list_texts(value) if (path := text.strip("/"))]


def _read_defaults(config: Config) -> Iterator[Default]:
    """Yield what `defaults` give, the later first, and the zone, which YAML says is UTC.

    A pattern stands for all that begins as it does.
    """
    defaults = config.get("defaults")
    source = get_text(config, "source").strip("./")
    for default in reversed(defaults) if isinstance(defaults, list) else ():
        scope = get_map(default, "scope")
        path = "/".join(filter(None, (source, get_text(scope, "path").strip("/"))))
        place = path.partition("*")[0]
        is_folder = path and place == path and "." not in path.rpartition("/")[2]
        kind = get_text(scope, "type")
        collection = "" if kind == "pages" else f"_{kind}" if kind else None
        yield Default(get_map(default, "values"), f"{path}/" if is_folder else place, collection)
    yield Default({ZONE: get_text(config, "timezone") or "UTC"})


def _folder_patterns(defaults: object) -> tuple[tuple[str, str], ...]:
    patterns = {}
    for default in defaults if isinstance(defaults, list) else []:
        scope = get_map(default, "scope")
        pattern = get_text(get_map(default, "values"), "permalink")
        if pattern and scope.get("type", "posts") == "posts":
            patterns[get_text(scope, "path").strip("/")] = pattern
    return tuple(sorted(patterns.items()))


def _has_default_ids(config: Config) -> bool:
    kramdown = get_map(config, "kramdown")
    return (
        config.get("markdown", "kramdown") == "kramdown"
        and kramdown.get("input", "GFM") == "GFM"
        and kramdown.get("auto_ids") is not False
        and not get_text(kramdown, "auto_id_prefix")
    )


def _slug(text: str) -> str:
    return _hyphenate(text, "").lower()


def _hyphenate(text: str, also: str) -> str:
    """Put a hyphen for every run of what is no letter or digit nor in `also`."""
    kept = "".join(
        char if char in also or unicodedata.category(char)[0] in "LM" or char.isdecimal() else "\0"
        for char in text
    )
    return re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")


_WRITTEN_ID = re.compile(r"[\t ]\{#([A-Za-z_:][\w:.-]*)\}$")
_ATTRIBUTE_LIST = re.compile(r"^ {0,3}\{:.*\}\s*$")


def _heading_id(heading: Heading) -> str | None:
    """Return the id made of what is shown, `None` if it is not sure."""
    if has_doubtful_parts(heading.parts, heading.source):
        return None
    parts = [part for part in heading.parts if part.kind not in ("html", "image")]
    return "".join(_id_letter(char) for char in join_without_dashes(parts).lower())


def _id_letter(char: str) -> str:
    if char in "- \t":
        return "-"
    category = unicodedata.category(char)
    return char if category[0] in "LM" or category in ("Nd", "Nl", "Pc") else ""
