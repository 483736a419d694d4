"""Jekyll: dated files in `_posts` follow a pattern.

Pages and collections have no addresses: where they are rendered is seldom said in one place.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.metadata import parse_date
from blog_search_mcp.ingest.sites.base import Default, Generator, are_usual, at
from blog_search_mcp.ingest.sites.config import get_map, get_text, list_maps, list_texts
from blog_search_mcp.ingest.sites.engine import (
    Rules,
    UrlFields,
    date_tokens,
    fill_pattern,
    percent_encode,
    read_rules,
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
    usual_zone: ClassVar = "UTC"

    address: object = at("url")
    baseurl: str = ""
    folder: str = at("source")
    collections: dict[str, Any] | list[Any] = at("collections", default={})
    defaults: list[Any] = at("defaults", default=[])
    exclude: str | list[Any] = at("exclude", default=[])
    include: str | list[Any] = at("include", default=[])
    kramdown: dict[str, Any] = at("kramdown", default={})
    markdown: object = "kramdown"
    permalink: str = "date"
    permalink_of_posts: str = at("collections", "posts", "permalink")

    @property
    def base_url(self) -> str:
        """The address with the path below it."""
        return f"{super().base_url}/{self.baseurl.strip('/')}"

    def find_doubts(self) -> Iterator[str]:
        """Yield whether some posts have a pattern of their own."""
        if any(scope not in ("", "_posts") for scope in self._map_permalinks()):
            yield "posts of some folders have a permalink of their own"

    def _map_permalinks(self) -> dict[str, str]:
        """Return the patterns that `defaults` give to posts, by folder."""
        return {
            get_text(scope, "path").strip("/"): pattern
            for scope, values in self._list_scopes()
            if scope.get("type", "posts") == "posts" and (pattern := get_text(values, "permalink"))
        }

    def _list_scopes(self) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Return scope and values of each of `defaults`."""
        entries = list_maps(self.defaults)
        return [(get_map(entry, "scope"), get_map(entry, "values")) for entry in entries]

    def list_defaults(self) -> Iterator[Default]:
        """Yield what `defaults` give, the later first, and the zone.

        A pattern stands for all that begins as it does.
        """
        source = self.folder.strip("./")
        for scope, values in reversed(self._list_scopes()):
            path = "/".join(filter(None, (source, get_text(scope, "path").strip("/"))))
            place = path.partition("*")[0]
            is_folder = path and place == path and "." not in path.rpartition("/")[2]
            kind = get_text(scope, "type")
            collection = "" if kind == "pages" else f"_{kind}" if kind else None
            yield f"{path}/" if is_folder else place, collection, values
        yield from super().list_defaults()

    def list_rules(self) -> Iterator[Rules]:
        """Yield what has no pages: folders with `_`, gems and what `exclude` names.

        Collections and `include` are exceptions: https://jekyllrb.com/docs/configuration/options/.
        """
        shown = ("_posts", "_drafts", *(f"_{name}" for name in self.collections))
        included = (path.strip("/") for path in list_texts(self.include))
        yield read_rules("_*/", *(f"!{name}/" for name in (*shown, *included) if name))
        for path in (*_EXCLUDED, *list_texts(self.exclude)):
            yield read_rules(path if "*" in path else f"/{path.strip('/')}")

    @property
    def letters_of_ids(self) -> tuple[str, ...]:
        """Those of kramdown for GitHub's Markdown, the default."""
        is_usual = are_usual(self.kramdown, input="gfm", auto_ids="true", auto_id_prefix="")
        is_usual = is_usual and self.markdown == "kramdown"
        return ("L", "M", "Nd", "Nl", "Pc") if is_usual else ()

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Return the path of a post. Raises NoLink."""
        *folders, file = inner.split("/")
        dated = _POST.match(file.rpartition(".")[0].rstrip("."))
        if "_posts" not in folders:
            raise NoLink("a page or of a collection, whose addresses of Jekyll's are not followed")
        if dated is None:
            raise NoLink("no date at the start of the file's name, as Jekyll's posts have")
        day = parse_date(dated[1])
        if fields.get("date"):
            day = fields.date_in(self.timezone, naive_is_utc=True)
        is_list = isinstance(fields.values.get("categories"), list)
        listed = fields.list("categories") if is_list else fields.get("categories").split()
        above = folders[: folders.index("_posts")]
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
        given = self._map_permalinks()
        of_posts = given.get("_posts") or given.get("") or self.permalink_of_posts
        style = self.pattern or of_posts or self.permalink
        pattern = fields.get("permalink") or STYLES.get(style, style)
        path = fill_pattern(pattern, _TOKEN, date_tokens(day) | encoded)
        return re.sub("/+", "/", f"/{path}".replace("..", "/").replace("./", ""))


def _slug(text: str) -> str:
    return _hyphenate(text, "").lower()


def _hyphenate(text: str, also: str) -> str:
    """Put a hyphen for every run of what is no letter or digit nor in `also`."""
    kept = "".join(
        char if char in also or unicodedata.category(char)[0] in "LM" or char.isdecimal() else "\0"
        for char in text
    )
    return re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")
