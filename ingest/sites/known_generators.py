"""Jekyll, Hexo, MkDocs, Quarto and Zola: settings and URLs of each."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.ingest.posts.ignore_rules import write_rules
from blog_search_mcp.ingest.posts.metadata import Fields, parse_date
from blog_search_mcp.ingest.posts.paths import (
    BUNDLE,
    JEKYLL_DAY,
    MKDOCS_INDEX,
    ZOLA_DAY,
    parse_path,
    split_day,
)
from blog_search_mcp.ingest.posts.visibility import LOCKED_WHEN
from blog_search_mcp.ingest.sites.configuration import get_map, get_text, list_maps, list_texts
from blog_search_mcp.ingest.sites.generator import Default, Generator, Off, setting_at

STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}


class Jekyll(Generator):
    """Jekyll: dated files in `_posts` follow a pattern; pages and collections get no URL here.

    Hexo's configuration has the same name, so Hexo must be tried first.
    """

    files: ClassVar = ("_config.yml", "_config.yaml", "_config.toml")
    dated: ClassVar = "_posts"
    token: ClassVar = re.compile(r":([a-z_]+)")
    safe: ClassVar = "/!$&'()*+,;=:@-._~"
    id_categories: ClassVar = ("L", "M", "Nd", "Nl", "Pc")
    settings_of_ids: ClassVar = {
        "markdown": "kramdown",
        "kramdown.input": "gfm",
        "kramdown.auto_ids": "true",
        "kramdown.auto_id_prefix": "",
    }

    includes: frozenset[str] = frozenset(("jinja",))
    timezone: str = "UTC"
    address: object = setting_at("url")
    baseurl: str = ""
    folder: str = setting_at("source")
    defaults: list[Any] = setting_at("defaults", default=[])
    exclude: object = ""
    include: object = ""
    permalink: str = "date"
    permalink_of_posts: str = setting_at("collections", "posts", "permalink")

    @property
    def base_url(self) -> str:
        """Base URL with the path in `baseurl`."""
        return f"{super().base_url}/{self.baseurl.strip('/')}"

    def find_doubts(self) -> Iterator[str]:
        """Yield a doubt if posts of some folders have a pattern of their own."""
        if any(folder not in ("", "_posts") for folder in self._map_permalinks()):
            yield "posts of some folders have a permalink of their own"

    def _map_permalinks(self) -> dict[str, str]:
        return {
            folder: pattern
            for folder, kind, values in self._list_scopes()
            if kind in ("", "posts") and (pattern := get_text(values, "permalink"))
        }

    def _list_scopes(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        for entry in list_maps(self.defaults):
            scope = get_map(entry, "scope")
            path = get_text(scope, "path").strip("/")
            yield path, get_text(scope, "type"), get_map(entry, "values")

    def list_defaults(self) -> Iterator[Default]:
        """Yield the entries of `defaults`, the last first, and the time zone.

        A path with `*` reaches all places that begin with the part before the `*`.
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
        """Yield rules for folders named `_…`, and for paths that begin with an entry of `exclude`.

        Folders of posts, `include` and collections with pages stay: https://jekyllrb.com/docs/.
        """
        kinds = get_map(self.config, "collections")
        built = [f"_{k}" for k in kinds if get_text(get_map(kinds, k), "output").lower() == "true"]
        yield "_*/"
        for name in ("_posts", "_drafts", *built, *list_texts(self.include)):
            yield from (f"!{name.strip('/')}/", f"**/{name.strip('/')}/**/_*/")
        paths = (path if path[-1] in "/*" else f"{path}*" for path in list_texts(self.exclude))
        yield from write_rules(paths, "/*")

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the path of a post. Raises NoLink, also for a page."""
        *folders, file = inner.split("/")
        day_in_name, name = split_day(file.rpartition(".")[0].rstrip("."), JEKYLL_DAY)
        if "_posts" not in folders:
            raise NoLink("a page or of a collection, whose addresses of Jekyll's are not followed")
        if not day_in_name:
            raise NoLink("no date at the start of the file's name, as Jekyll's posts have")
        day = parse_date(day_in_name)
        if get_text(fields, "date"):
            day = self.find_day(fields, naive_is_utc=True)
        listed = fields.get("categories")
        listed = listed if isinstance(listed, list) else get_text(fields, "categories").split()
        if any(isinstance(name, list | Mapping) for name in listed):
            raise NoLink("categories that are nested")
        names = (str(name or "").strip() for name in (*listed, get_text(fields, "category")))
        categories = [*filter(None, (*folders[: folders.index("_posts")], *names))]
        slug = get_text(fields, "slug") or name
        slugs = dict.fromkeys(_hyphenate(name).lower() for name in categories)
        values = {
            "categories": "/".join(dict.fromkeys(name.lower() for name in categories)),
            "slugified_categories": "/".join(slugs),
            "title": _hyphenate(slug, "._~!$&'()+,;=@"),
            "slug": _hyphenate(slug).lower(),
            "output_ext": ".html",
            "collection": "posts",
        }
        patterns = self._map_permalinks()
        default = patterns.get("_posts") or patterns.get("") or self.permalink_of_posts
        style = self.pattern or default or self.permalink
        pattern = get_text(fields, "permalink") or STYLES.get(style, style)
        encoded = {token: self.encode(value) for token, value in values.items()}
        path = self.fill(pattern, encoded, day)
        return re.sub("/+", "/", f"/{path}".replace("..", "/").replace("./", ""))


def _hyphenate(text: str, also: str = "") -> str:
    """Put a hyphen for each inner run of characters other than letters, marks, digits, `also`."""
    kept = "".join(
        char if char in also or unicodedata.category(char)[0] in "LM" or char.isdecimal() else "\0"
        for char in text
    )
    return re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")


class Hexo(Generator):
    """Hexo: posts follow a pattern, which may name any field; other pages keep their path."""

    files: ClassVar = ("_config.yml", "_config.yaml", "_config.json")
    marks: ClassVar = {"source_dir", "public_dir", "new_post_name", "default_layout"}
    dated: ClassVar = "_posts"
    token: ClassVar = re.compile(r":(\w*[^_\W])", re.ASCII)
    safe: ClassVar = ";,/?:@&=+$-_.!~*'()#"
    never: ClassVar = ("_*/", "!/_posts/", "!/_drafts/", "/*/**/_*/")
    ignored: ClassVar = {"exclude": "/", "ignore": "**/", "skip_render": "/"}

    address: object = setting_at("url")
    encrypted: object = setting_at("encrypt", "tags")
    folder: str = setting_at("source_dir", default="source")
    new_post_name: Literal[":title.md"] = ":title.md"
    permalink: str = ":year/:month/:day/:title/"
    post_asset_folder: bool = False

    def list_defaults(self) -> Iterator[Default]:
        """Yield the tags of posts that hexo-blog-encrypt locks, and the time zone."""
        names = ",".join(get_text(tag, "name") for tag in list_maps(self.encrypted))
        yield "", None, {LOCKED_WHEN: {"tags": names} if names else {}}
        yield from super().list_defaults()

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the path of a post or page. Raises NoLink."""
        stem, permalink = inner.rpartition(".")[0], get_text(fields, "permalink")
        if stem.startswith("_posts/"):
            path = permalink or self._fill(stem.removeprefix("_posts/"), fields)
            if self.post_asset_folder and not path.endswith(("/", ".html")):
                path += "/"
        elif stem.startswith("_") or permalink:
            raise NoLink("in a folder with _, or a page with a permalink of its own")
        else:
            path = stem + ".html"
        return self.encode("/" + path.lstrip("/"))

    def _fill(self, name: str, fields: Fields) -> str:
        day = self.find_day(fields) if get_text(fields, "date") else None
        values = {
            **dict.fromkeys(("title", "slug"), name),
            "name": name.rpartition("/")[2],
            # These depend on Hexo's database, the time of the build, or Hexo's spelling.
            **dict.fromkeys(("id", "hash", "timestamp", "hour", "minute", "second")),
            **dict.fromkeys(("category", "post_title")),
        }
        pattern = self.pattern or self.permalink
        texts = {token: get_text(fields, token) or None for token in self.token.findall(pattern)}
        return self.fill(pattern, texts | values, day)


_MOVING = {"i18n", "mike", "exclude", "file-filter", "offline"}
"""Plugins that move pages or leave some out."""


class MkDocs(Generator):
    """MkDocs: pages keep their path; posts of Material's blog plugin get no URL here."""

    files: ClassVar = ("mkdocs.yml", "mkdocs.yaml")
    bases: ClassVar = "INHERIT"
    endings: ClassVar = (".md", ".markdown", ".mdown", ".mkd", ".mkdn")
    never: ClassVar = (".*", "/templates/")
    """Files that MkDocs excludes: https://www.mkdocs.org/user-guide/configuration/#exclude_docs"""
    templates: ClassVar = "macro|jinja|markdownextra|include"

    includes: frozenset[str] = frozenset(("jinja", "snippet"))
    reads_hashes: bool = True
    address: object = setting_at("site_url")
    folder: str = setting_at("docs_dir", default="docs")
    draft_docs: str = ""
    exclude_docs: str = ""
    inherits: Off = setting_at("INHERIT", default=False)
    plugins: object = ()
    use_directory_urls: bool = True
    versions: Literal[""] = setting_at("extra", "version", "provider")
    """Tool that gives each version of the site a URL of its own."""

    def find_doubts(self) -> Iterator[str]:
        """Yield a doubt for each plugin that may move pages."""
        for name in sorted(self._name_plugins().keys() & _MOVING):
            yield f"the plugin {name} decides which pages there are, and where"
        if re.search("(blog|post)_dir", str(self.plugins)):
            yield "which posts the plugin blog has, and where, is not sure"

    def _name_plugins(self) -> dict[str, object]:
        """Return the plugins' options by name, without Material's prefix."""
        items = self.plugins if isinstance(self.plugins, list) else [self.plugins]
        maps = (item if isinstance(item, dict) else {str(item): None} for item in items if item)
        return {str(k).removeprefix("material/"): v for item in maps for k, v in item.items()}

    def list_defaults(self) -> Iterator[Default]:
        """Yield the fields with which the plugin encryptcontent locks posts."""
        if "encryptcontent" in self._name_plugins():
            password = "set" if "global_password" in str(self.plugins) else ""
            yield "", None, {"password": password, LOCKED_WHEN: {"level": "*"}}

    def list_rules(self) -> Iterator[str]:
        """Yield rules for files that MkDocs, settings or plugins keep off the site or search."""
        yield from (*self.never, *self.exclude_docs.splitlines(), *self.draft_docs.splitlines())
        for name in ("exclude-search", "exclude", "file-filter"):
            for key in ("exclude", "glob", "exclude_glob"):
                globs = get_map(self._name_plugins(), name).get(key)
                yield from write_rules(list_texts(globs), "/*")

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:
        """Return the path of a page. Raises NoLink."""
        path = parse_path(inner, MKDOCS_INDEX)
        if inner.startswith("blog/posts") and "blog" in self._name_plugins():
            raise NoLink("a post of Material's blog, whose addresses are not followed")
        if path.index == "readme":
            raise NoLink("a README, which gives way to an index.md beside it")
        if not self.use_directory_urls:
            return super().find_path(folder, inner, fields)
        return quote(f"/{path.page}/") if path.page else "/"


class Quarto(Generator):
    """Quarto: a document becomes the page `name.html` in its folder."""

    files: ClassVar = ("_quarto.yml", "_quarto.yaml")
    bases: ClassVar = "metadata-files"
    marks: ClassVar = {"project"}
    endings: ClassVar = (".md", ".qmd")
    never: ClassVar = ("_*", "README.md", "README.qmd", "/renv/", "/packrat/", "/rsconnect/")
    """https://quarto.org/docs/projects/quarto-projects.html#render-targets, and R's packages."""
    templates: ClassVar = "(?!)"

    includes: frozenset[str] = frozenset(("shortcode",))
    address: object = setting_at("website", "site-url")
    draft: object = ""
    draft_mode: object = setting_at("website", "draft-mode")
    drafts: object = setting_at("website", "drafts")
    metadata_files: Off = setting_at("metadata-files", default=False)
    output: str = setting_at("project", "output-dir")
    profile: Off = False
    render: object = setting_at("project", "render", default=[])

    def find_doubts(self) -> Iterator[str]:
        """Yield a doubt if only some files are rendered, or if files are not rendered to HTML."""
        if self.render or not _is_html(self.config):
            yield "what _quarto.yml renders is not sure"

    def list_defaults(self) -> Iterator[Default]:
        """Yield the default of `draft`."""
        yield "", None, {"draft": self.draft}

    def list_rules(self) -> Iterator[str]:
        """Yield rules for drafts, output and files that `render`, a book or Quarto leaves out."""
        chapters = re.findall(r"(?<=['\"])[^'\"]+\.q?md(?=['\"])", str(self.config.get("book", "")))
        paths = [path.replace("./", "/") for path in (*list_texts(self.render), *chapters)]
        rendered = [f"!**/{path}" for path in paths if not path.startswith("!")]
        if rendered and not set("{}()|") & set("".join(rendered)):
            yield from ("*", *rendered)
        yield from (*self.never, *(f"**/{path[1:]}" for path in paths if path.startswith("!")))
        if self.draft_mode != "visible":
            yield from (f"/{path}" for path in list_texts(self.drafts))
        yield f"/{posixpath.normpath(self.output)}/"

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:
        """Return the path of a document's page. Raises NoLink."""
        if get_text(fields, "output-file") or not _is_html(fields):
            raise NoLink("rendered to another file or format")
        return super().find_path(folder, inner, fields)


def _is_html(fields: Fields) -> bool:
    """Whether `format` (a name, or a mapping by name) has `html`, the default."""
    formats = fields.get("format") or "html"
    return "html" in (formats if isinstance(formats, Mapping) else [formats])


class Zola(Generator):
    """Zola: URLs follow the content folder, with names spelled in ASCII by default."""

    files: ClassVar = ("zola.toml", "config.toml")
    marks: ClassVar = {"base_url"}
    safe: ClassVar = "!$&'()*+,/:;=@"
    endings: ClassVar = (".md",)
    ignored: ClassVar = {"ignored_content": "**/*"}

    address: object = setting_at("base_url")
    folder: str = "content"
    default_language: str = "en"
    keeps_dates: Off = setting_at("slugify", "paths_keep_dates", default=False)
    languages: dict[str, Any] = setting_at("languages", default={})
    slugs: Literal["on"] = setting_at("slugify", "paths", default="on")

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the path of a post, section or bundle. Raises NoLink."""
        above, _, name = inner.removesuffix(".md").rpartition("/")
        stem, _, code = name.partition(".")
        others = self.languages.keys() - {self.default_language}
        if others and code not in ("", self.default_language, *others):
            raise NoLink("its language is none of the site's")
        name, language = (stem, code) if code in others else (name, "")
        page = parse_path(f"{above}/{name}", BUNDLE)
        path = "" if page.is_list else get_text(fields, "path")
        if not path:
            end = page.page if page.is_list else f"{page.folder}/{_spell(page.name, fields)}"
            path = f"{language}/{end}"
        return self.encode(re.sub("/+", "/", f"/{path}/"))


def _spell(name: str, fields: Fields) -> str:
    """Return the last part of a post's URL path. Raises NoLink."""
    slug = get_text(fields, "slug") or split_day(name, ZOLA_DAY)[1]
    spelled = re.sub("[^a-z0-9]+", "-", slug.lower()).strip("-")
    if not (slug.isascii() and spelled):
        raise NoLink("a name that Zola may spell in another way")
    return spelled
