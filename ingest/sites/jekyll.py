"""Jekyll: dated files in `_posts` follow a pattern; other files with front matter are pages.

Collections have no addresses: whether and where they are rendered is seldom said in one place.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Self

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.metadata import parse_date
from blog_search_mcp.index.posts.visibility import ZONE
from blog_search_mcp.ingest.sites.base import Default, Generator, are_usual, at
from blog_search_mcp.ingest.sites.config import Config, get_map, get_text, list_maps, list_texts
from blog_search_mcp.ingest.sites.engine import (
    UrlFields,
    date_tokens,
    fill_pattern,
    percent_encode,
    strip_folder,
)

STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
_TOKEN = re.compile(r":([a-z_]+)")
_POST = re.compile(r"^(\d{2,4}-\d{1,2}-\d{1,2})-(.*)$")
_SAFE = "/!$&'()*+,;=:@-._~"

_EXCLUDED = ("vendor/bundle", "vendor/cache", "vendor/gems", "vendor/ruby")
"""Of Jekyll's own list those that hold Markdown: gems that were installed beside the site."""


class Jekyll(Generator):
    """A site of Jekyll; Hexo, whose configuration has the same name, must be ruled out before."""

    files: ClassVar = ("_config.yml", "_config.yaml")
    posts: ClassVar = "**/_posts"
    takes_patterns: ClassVar = True

    folder: str = at("source", default="")
    collections: dict[str, Any] | list[Any] = at("collections", default={})
    defaults: list[Any] = at("defaults", default=[])
    exclude: str | list[Any] = at("exclude", default=[])
    include: str | list[Any] = at("include", default=[])
    kramdown: dict[str, Any] = at("kramdown", default={})
    markdown: object = "kramdown"
    permalink: str = "date"
    permalink_of_posts: str = at("collections", "posts", "permalink", default="")
    timezone: str = ""

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:  # noqa: ARG003 - of any
        """Read any `_config.yml`."""
        url, below = get_text(config, "url").rstrip("/"), get_text(config, "baseurl").strip("/")
        defaults = tuple(_read_defaults(config))
        return cls.make(config, address=f"{url}/{below}", inherited=defaults) if config else None

    def leaves_out(self, inner: str) -> bool:
        """Whether a file is neither a post, nor of a collection, nor a page.

        https://jekyllrb.com/docs/structure/ and /configuration/options/: folders with `_` hold
        no pages but those that a collection or `include` names; `exclude` names more.
        """
        included, excluded = (
            [path for text in list_texts(paths) if (path := text.strip("/"))]
            for paths in (self.include, self.exclude)
        )
        shown = {"_posts", "_drafts", *(f"_{name}" for name in self.collections), *included}
        above = list(accumulate(inner.split("/"), "{}/{}".format))
        globs = (*_EXCLUDED, *excluded)
        return any(fnmatchcase(path, glob) for path in above for glob in globs) or any(
            name.startswith("_") and name not in shown for name in inner.split("/")[:-1]
        )

    @property
    def letters_of_ids(self) -> tuple[str, ...]:
        """Those of kramdown for GitHub's Markdown, the default."""
        is_usual = are_usual(self.kramdown, input="gfm", auto_ids="true", auto_id_prefix="")
        is_usual = is_usual and self.markdown == "kramdown"
        return ("L", "M", "Nd", "Nl", "Pc") if is_usual else ()

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Return the path of a post or page. Raises NoLink."""
        folders, _, file = inner.rpartition("/")
        stem = file.rpartition(".")[0].rstrip(".")
        parts = folders.split("/")
        if "_posts" in parts:
            path = self._make_post_path(parts[: parts.index("_posts")], inner, stem, fields)
        elif any(part.startswith("_") for part in parts):
            raise NoLink("in a folder with _ that holds no posts for Jekyll")
        elif not fields.values:
            raise NoLink("no front matter, so Jekyll does not make a page of it")
        else:
            path = self._make_page_path(folders, stem, fields)
        return re.sub("/+", "/", f"/{path}".replace("..", "/").replace("./", ""))

    def _find_pattern(self, inner: str = "") -> str:
        """Return the style or pattern: of the innermost folder's posts, else of all posts."""
        patterns = {"": self.permalink_of_posts or self.permalink}
        for scope, values in _list_scopes(self.defaults) if inner else ():
            folder, pattern = get_text(scope, "path").strip("/"), get_text(values, "permalink")
            is_of_posts = scope.get("type", "posts") == "posts"
            if pattern and is_of_posts and strip_folder(folder, inner) is not None:
                patterns[folder] = pattern
        return self.pattern or patterns[max(patterns, key=len)]

    def _make_post_path(self, above: list[str], inner: str, stem: str, fields: UrlFields) -> str:
        dated = _POST.match(stem)
        if dated is None:
            raise NoLink("no date at the start of the file's name, as Jekyll's posts have")
        day = parse_date(dated[1])
        if fields.get("date"):
            day = fields.date_in(self.timezone, naive_is_utc=True)
        is_list = isinstance(fields.values.get("categories"), list)
        listed = fields.list("categories") if is_list else fields.get("categories").split()
        categories = [*filter(None, (*above, *listed, fields.get("category")))]
        slug = fields.get("slug") or dated[2]
        values = {
            "categories": "/".join(dict.fromkeys(name.lower() for name in categories)),
            "slugified_categories": "/".join(dict.fromkeys(map(_slug, categories))),
            "title": _hyphenate(slug, "._~!$&'()+,;=@"),
            "slug": _slug(slug),
            "output_ext": ".html",
            "collection": "posts",
        }
        encoded = {token: percent_encode(value, _SAFE) for token, value in values.items()}
        style = self._find_pattern(inner)
        pattern = fields.get("permalink") or STYLES.get(style, style)
        return fill_pattern(pattern, _TOKEN, date_tokens(day) | encoded)

    def _make_page_path(self, folders: str, stem: str, fields: UrlFields) -> str:
        if written := fields.get("permalink"):
            return percent_encode(fill_pattern(written, _TOKEN, {}), _SAFE)
        if stem == "index":
            return percent_encode(f"/{folders}/", _SAFE)
        path, pattern = percent_encode(f"/{folders}/{stem}", _SAFE), self._find_pattern()
        if pattern == "pretty" or pattern.endswith("/"):
            return path + "/"
        has_ending = pattern in ("date", "ordinal", "none") or "output_ext" in pattern
        return path + ".html" if has_ending else path


def _read_defaults(config: Config) -> Iterator[Default]:
    """Yield what `defaults` give, the later first, and the zone, which YAML says is UTC.

    A pattern stands for all that begins as it does.
    """
    source = get_text(config, "source").strip("./")
    for scope, values in reversed(_list_scopes(config.get("defaults"))):
        path = "/".join(filter(None, (source, get_text(scope, "path").strip("/"))))
        place = path.partition("*")[0]
        is_folder = path and place == path and "." not in path.rpartition("/")[2]
        kind = get_text(scope, "type")
        collection = "" if kind == "pages" else f"_{kind}" if kind else None
        yield f"{path}/" if is_folder else place, collection, values
    yield "", None, {ZONE: get_text(config, "timezone") or "UTC"}


def _list_scopes(defaults: object) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the scope and the values of each of `defaults`."""
    return [(get_map(entry, "scope"), get_map(entry, "values")) for entry in list_maps(defaults)]


def _slug(text: str) -> str:
    return _hyphenate(text, "").lower()


def _hyphenate(text: str, also: str) -> str:
    """Put a hyphen for every run of what is no letter or digit nor in `also`."""
    kept = "".join(
        char if char in also or unicodedata.category(char)[0] in "LM" or char.isdecimal() else "\0"
        for char in text
    )
    return re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")
