"""Jekyll: dated files in `_posts` follow a pattern.

Pages and collections have no addresses: where they are rendered is seldom said in one place.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.metadata import Fields, parse_date
from blog_search_mcp.ingest.sites import addresses
from blog_search_mcp.ingest.sites.generator import Default, Generator, at
from blog_search_mcp.ingest.sites.settings import get_map, get_text, list_maps, list_texts

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


class Jekyll(Generator):
    """A site of Jekyll; Hexo, whose configuration has the same name, must be ruled out before."""

    files: ClassVar = ("_config.yml", "_config.yaml")
    never: ClassVar = ("/vendor/bundle", "/vendor/cache", "/vendor/gems", "/vendor/ruby")
    dated: ClassVar = "_posts"
    takes_patterns: ClassVar = True
    ids: ClassVar = ("L", "M", "Nd", "Nl", "Pc")
    settings_of_ids: ClassVar = {
        "markdown": "kramdown",
        "kramdown.input": "gfm",
        "kramdown.auto_ids": "true",
        "kramdown.auto_id_prefix": "",
    }

    timezone: str = "UTC"
    address: object = at("url")
    baseurl: str = ""
    folder: str = at("source")
    collections: dict[str, Any] | list[Any] = at("collections", default={})
    defaults: list[Any] = at("defaults", default=[])
    exclude: object = ""
    include: object = ""
    permalink: str = "date"
    permalink_of_posts: str = at("collections", "posts", "permalink")

    @property
    def base_url(self) -> str:
        """The address with the path below it."""
        return f"{super().base_url}/{self.baseurl.strip('/')}"

    def find_doubts(self) -> Iterator[str]:
        """Yield whether some posts have a pattern of their own."""
        if any(folder not in ("", "_posts") for folder in self._map_permalinks()):
            yield "posts of some folders have a permalink of their own"

    def _map_permalinks(self) -> dict[str, str]:
        """Return the patterns that `defaults` give to posts, by folder."""
        return {
            folder: pattern
            for folder, kind, values in self._list_scopes()
            if kind in ("", "posts") and (pattern := get_text(values, "permalink"))
        }

    def _list_scopes(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Yield of each of `defaults` the path and the type that it is for, and the values."""
        for entry in list_maps(self.defaults):
            scope = get_map(entry, "scope")
            path = get_text(scope, "path").strip("/")
            yield path, get_text(scope, "type"), get_map(entry, "values")

    def list_defaults(self) -> Iterator[Default]:
        """Yield what `defaults` give, the later first, and the zone.

        A pattern stands for all that begins as it does.
        """
        source = self.folder.strip("./")
        for inner, kind, values in reversed([*self._list_scopes()]):
            path = "/".join(filter(None, (source, inner)))
            place = path.partition("*")[0]
            is_folder = path and place == path and "." not in path.rpartition("/")[2]
            collection = "" if kind == "pages" else f"_{kind}" if kind else None
            yield f"{path}/" if is_folder else place, collection, values
        yield from super().list_defaults()

    def list_rules(self) -> Iterator[str]:
        """Yield what has no pages: folders with `_`, installed gems and what `exclude` names.

        Collections and `include` are exceptions: https://jekyllrb.com/docs/configuration/options/.
        """
        shown = ("_posts", "_drafts", *(f"_{name}" for name in self.collections))
        included = (path.strip("/") for path in list_texts(self.include))
        yield from ("_*/", *(f"!{name}/" for name in (*shown, *included)), *self.never)
        for path in list_texts(self.exclude):
            yield path if "*" in path else f"/{path.strip('/')}"

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the path of a post. Raises NoLink."""
        *folders, file = inner.split("/")
        dated = _POST.match(file.rpartition(".")[0].rstrip("."))
        if "_posts" not in folders:
            raise NoLink("a page or of a collection, whose addresses of Jekyll's are not followed")
        if dated is None:
            raise NoLink("no date at the start of the file's name, as Jekyll's posts have")
        day = parse_date(dated[1])
        if get_text(fields, "date"):
            day = addresses.find_day(fields, self.timezone, naive_is_utc=True)
        listed = fields.get("categories")
        listed = listed if isinstance(listed, list) else get_text(fields, "categories").split()
        if any(isinstance(name, list | Mapping) for name in listed):
            raise NoLink("categories that are nested")
        named = (str(name or "").strip() for name in (*listed, get_text(fields, "category")))
        categories = [*filter(None, (*folders[: folders.index("_posts")], *named))]
        slug = get_text(fields, "slug") or dated[2]
        slugs = dict.fromkeys(_hyphenate(name).lower() for name in categories)
        values = {
            "categories": "/".join(dict.fromkeys(name.lower() for name in categories)),
            "slugified_categories": "/".join(slugs),
            "title": _hyphenate(slug, "._~!$&'()+,;=@"),
            "slug": _hyphenate(slug).lower(),
            "output_ext": ".html",
            "collection": "posts",
        }
        given = self._map_permalinks()
        of_posts = given.get("_posts") or given.get("") or self.permalink_of_posts
        style = self.pattern or of_posts or self.permalink
        pattern = get_text(fields, "permalink") or STYLES.get(style, style)
        encoded = {token: addresses.encode(value, _SAFE) for token, value in values.items()}
        path = addresses.fill(pattern, _TOKEN, addresses.split_date(day) | encoded)
        return re.sub("/+", "/", f"/{path}".replace("..", "/").replace("./", ""))


def _hyphenate(text: str, also: str = "") -> str:
    """Put a hyphen for every run of what is no letter or digit nor in `also`."""
    kept = "".join(
        char if char in also or unicodedata.category(char)[0] in "LM" or char.isdecimal() else "\0"
        for char in text
    )
    return re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")
