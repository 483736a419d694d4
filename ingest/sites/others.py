"""Hexo, MkDocs, Quarto and Zola, and sites that programs configure."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.visibility import LOCKED_WHEN, PROFILES
from blog_search_mcp.ingest.sites.base import Default, Generator, Off, On, at
from blog_search_mcp.ingest.sites.config import Config, get_map, get_text, list_maps, list_texts
from blog_search_mcp.ingest.sites.engine import (
    Rules,
    UrlFields,
    date_tokens,
    encode_unsafe,
    fill_pattern,
    percent_encode,
    read_rules,
)

_HEXO_MARKS = {"source_dir", "public_dir", "new_post_name", "default_layout", "permalink_defaults"}
"""One of these tells a Hexo configuration from Jekyll's of the same file name."""
_HEXO_TOKEN = re.compile(r":(\w*[^_\W])", re.ASCII)
_OWN_SLUG = re.compile("[0-9A-Za-z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
"""Names of categories that Hexo spells as they are."""


class Hexo(Generator):
    """Hexo: posts follow a pattern, which may name any field; other files keep their place."""

    files: ClassVar = ("_config.yml", "_config.yaml")
    posts: ClassVar = "_posts"
    takes_patterns: ClassVar = True

    address: object = at("url")
    folder: str = at("source_dir", default="source")
    category_map: Off = False
    default_category: str = "uncategorized"
    filename_case: Off = False
    new_post_name: Literal[":title.md"] = ":title.md"
    permalink: str = ":year/:month/:day/:title/"
    post_asset_folder: bool = False
    shows_html: On = at("pretty_urls", "trailing_html", default=True)
    shows_index: On = at("pretty_urls", "trailing_index", default=True)

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:
        """Read `_config.yml` if a setting or the folders are Hexo's."""
        is_its = (folder / "source" / "_posts").is_dir() or _HEXO_MARKS & config.keys()
        return cls.make(config) if config and is_its else None

    def list_defaults(self) -> Iterator[Default]:
        """Yield the tags that hexo-blog-encrypt locks, and the time zone."""
        tags = list_maps(get_map(self.config, "encrypt").get("tags"))
        names = ",".join(get_text(tag, "name") for tag in tags)
        yield "", None, {LOCKED_WHEN: {"tags": names} if names else {}}
        yield from super().list_defaults()

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Return the path of a post or page. Raises NoLink."""
        stem, written = inner.rpartition(".")[0], fields.get("permalink")
        if stem.startswith("_posts/"):
            path = written or self._fill_pattern(stem.removeprefix("_posts/"), fields)
            path += "/" * (self.post_asset_folder and not path.endswith(("/", ".html")))
        elif stem.startswith("_") or written:
            raise NoLink("in a folder with _, or a page with a permalink of its own")
        else:
            path = stem + ".html"
        return percent_encode("/" + path.lstrip("/"), ";,/?:@&=+$-_.!~*'()#")

    def _fill_pattern(self, name: str, fields: UrlFields) -> str:
        dates = date_tokens(fields.date_in(self.timezone) if fields.get("date") else None)
        categories = fields.list("categories") or fields.list("category")
        are_sure = all(map(_OWN_SLUG.fullmatch, categories))
        values = {
            **{token: dates[token] for token in ("year", "month", "day", "i_month", "i_day")},
            **dict.fromkeys(("title", "slug"), name),
            "name": name.rpartition("/")[2],
            "category": ("/".join(categories) or self.default_category) if are_sure else None,
            # Of its database, of the building machine's clock, and spelled in ways of its own.
            **dict.fromkeys(("id", "hash", "timestamp", "hour", "minute", "second", "post_title")),
        }
        pattern = self.pattern or self.permalink
        filled = {
            token: values[token.lower()] if token.lower() in values else fields.get(token) or None
            for token in _HEXO_TOKEN.findall(pattern)
        }
        return fill_pattern(pattern, _HEXO_TOKEN, filled)


_MKDOCS_NEVER = (".*", "/templates/")
"""What `exclude_docs` adds to: https://www.mkdocs.org/user-guide/configuration/#exclude_docs."""
_MOVING = {"i18n", "mike", "exclude", "file-filter", "offline"}
"""Plugins that give pages other addresses, or make none of some."""


class MkDocs(Generator):
    """MkDocs: pages keep their place; posts of Material's plugin blog have no addresses."""

    files: ClassVar = ("mkdocs.yml", "mkdocs.yaml")
    endings: ClassVar = (".md", ".markdown")

    address: object = at("site_url")
    folder: str = at("docs_dir", default="docs")
    draft_docs: str = ""
    exclude_docs: str = ""
    inherits: Off = at("INHERIT", default=False)
    plugins: object = ()
    theme: object = ""
    use_directory_urls: bool = True
    versions: Literal[""] = at("extra", "version", "provider")
    """A program that gives each version of the site an address of its own."""

    def find_doubts(self) -> Iterator[str]:
        """Yield rules that cannot be read, and plugins that may move pages."""
        if not all(read_rules("x", *x.splitlines()) for x in (self.draft_docs, self.exclude_docs)):
            yield "draft_docs or exclude_docs of mkdocs.yml cannot be read"
        names, settings = self._name_plugins(), str(self.plugins)
        for name in sorted(names & _MOVING):
            yield f"the plugin {name} decides which pages there are, and where"
        is_other = "blog" in names and "material" not in f"{self.theme} {settings}"
        if is_other or "blog_dir" in settings or "post_dir" in settings:
            yield "which posts the plugin blog has, and where, is not sure"

    def _name_plugins(self) -> set[str]:
        """Return the names of plugins, those of Material without its own."""
        items = self.plugins if isinstance(self.plugins, list) else [self.plugins]
        names = (name for item in items for name in (item if isinstance(item, dict) else [item]))
        return {str(name).removeprefix("material/") for name in names}

    def list_defaults(self) -> Iterator[Default]:
        """Yield what the plugin encryptcontent locks, with a password for all or by levels."""
        if "encryptcontent" in self._name_plugins():
            password = "set" if "global_password" in str(self.plugins) else ""
            yield "", None, {"password": password, LOCKED_WHEN: {"level": "*"}}

    def list_rules(self) -> Iterator[Rules]:
        """Yield what is never published, and what settings add to it."""
        added = self.exclude_docs.splitlines()
        yield read_rules(*_MKDOCS_NEVER, *added) or read_rules(*_MKDOCS_NEVER)
        yield read_rules(*self.draft_docs.splitlines())

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:
        """Return the path of a page. Raises NoLink."""
        page = inner.rpartition(".")[0]
        above, _, name = page.rpartition("/")
        if inner.startswith("blog/posts") and "blog" in self._name_plugins():
            raise NoLink("a post of Material's blog, whose addresses are not followed")
        if name == "README":
            raise NoLink("a README, which gives way to an index.md beside it")
        if not self.use_directory_urls:
            return super().find_path(folder, inner, fields)
        shown = above if name == "index" else page
        return quote(f"/{shown}/") if shown else "/"


_QUARTO_NEVER = ("_*", "README.md", "README.qmd", "/renv/", "/packrat/", "/rsconnect/")
"""What is no document (https://quarto.org/docs/projects/quarto-projects.html#render-targets), and
folders of packages, which its engine for R passes over."""


class Quarto(Generator):
    """Quarto: a document of a website is the page `name.html` at its place."""

    files: ClassVar = ("_quarto.yml", "_quarto.yaml")
    marks: ClassVar = {"project"}
    endings: ClassVar = (".md", ".qmd")

    address: object = at("website", "site-url")
    draft: object = ""
    draft_mode: object = at("website", "draft-mode")
    drafts: object = at("website", "drafts")
    metadata_files: Off = at("metadata-files", default=False)
    output: str = at("project", "output-dir")
    profile: Off = False
    render: object = at("project", "render", default=[])

    def find_doubts(self) -> Iterator[str]:
        """Yield what is rendered of some files alone or to other formats."""
        if self.render or not _is_html(self.config):
            yield "what _quarto.yml renders is not sure"

    def list_defaults(self) -> Iterator[Default]:
        """Yield whether all posts are drafts, and by which profile the site is made."""
        profiles = " ".join(list_texts(get_map(self.config, "profile").get("default")))
        yield "", None, {"draft": self.draft, PROFILES: profiles}

    def list_rules(self) -> Iterator[Rules]:
        """Yield what is never rendered, drafts, what was made and what `render` may leave out."""
        named = [path.replace("./", "/") for path in list_texts(self.render)]
        left_out = [f"**/{path[1:]}" for path in named if path.startswith("!")]
        if self.draft_mode != "visible":
            left_out += [f"/{path}" for path in list_texts(self.drafts)]
        output = posixpath.normpath(self.output)
        left_out += [] if output.startswith(".") else [f"/{output}/"]
        yield read_rules(*_QUARTO_NEVER, *left_out) or read_rules(*_QUARTO_NEVER)
        shown = [f"!**/{path}" for path in named if not path.startswith("!")]
        if shown and not set("{}()|") & set("".join(shown)):
            yield read_rules("*", *shown)

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:
        """Return the path of a document's page. Raises NoLink."""
        if fields.get("output-file") or not _is_html(fields.values):
            raise NoLink("rendered to another file or format")
        return super().find_path(folder, inner, fields)


def _is_html(fields: Mapping[str, Any]) -> bool:
    """Whether `format`, which is one or a mapping by name, has that of pages, as by default."""
    written = fields.get("format") or "html"
    return "html" in (written if isinstance(written, Mapping) else [written])


_ZOLA_DATED = re.compile(
    r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?\s?[_-](?P<slug>.+)$"
)


class Zola(Generator):
    """Zola: addresses follow the content folder, with names spelled in ASCII by default."""

    files: ClassVar = ("zola.toml", "config.toml")
    marks: ClassVar = {"base_url"}
    endings: ClassVar = (".md",)

    address: object = at("base_url")
    folder: str = "content"
    default_language: str = "en"
    keeps_dates: bool = at("slugify", "paths_keep_dates", default=False)
    languages: dict[str, Any] = at("languages", default={})
    slugs: Literal["on"] = at("slugify", "paths", default="on")

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Return the path of a post or section. Raises NoLink."""
        above, _, file = inner.rpartition("/")
        name, prefix = file.removesuffix(".md"), ""
        stem, dot, language = name.partition(".")
        languages = self.languages.keys() - {self.default_language}
        if languages and dot and language != self.default_language:
            if language not in languages:
                raise NoLink("its language is none of the site's")
            name, prefix = stem, f"{language}/"
        if name == "_index":
            path = prefix + above
        else:
            path = fields.get("path") or prefix + self._make_path(above, name, fields)
        return encode_unsafe(f"/{path.strip('/')}/" if path.strip("/") else "/")

    def _make_path(self, folder: str, name: str, fields: UrlFields) -> str:
        """Return folder and slug of a post, that of a bundle by its folder's name."""
        if name == "index" and not folder:
            return ""
        if folder and name.partition(".")[0] == "index":
            folder, _, last = folder.rpartition("/")
            name = last if name == "index" else name
        dated = None if self.keeps_dates else _ZOLA_DATED.match(name)
        slug = fields.get("slug") or (dated["slug"] if dated else name)
        spelled = re.sub("[^a-z0-9]+", "-", slug.lower()).strip("-")
        if not (slug.isascii() and spelled):
            raise NoLink("a name that Zola may spell in another way")
        return f"{folder}/{spelled}".lstrip("/")


_MODULES = ("js", "mjs", "cjs", "ts", "mts", "cts")
_NEVER_PAGES = (
    *("/build/", "/dist/", "/output/", "/public/", "/static/", "/_site/", "/theme/", "/themes/"),
    *("/plugins/", "_data/", "_includes/", "_partials/"),
)
"""What Astro, Docusaurus, Eleventy and Pelican make no pages of by default: what is built, copied
as it is or included, besides hidden folders."""


class Program(Generator):
    """A site whose configuration is a program, which is not run, so that no address is known."""

    files: ClassVar = (
        *(f"{x}.config.{end}" for x in ("astro", "docusaurus", "eleventy") for end in _MODULES),
        *(".eleventy.js", ".vitepress", "pelicanconf.py"),
    )

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:
        """Know the generator by the name of its configuration; of Pelican's the text is read."""
        name = next(name for name in cls.files if (folder / name).exists())
        made = cls.make({}, f"of the program {name} no address is read")
        return made.model_copy(update={"config": config})

    def list_defaults(self) -> Iterator[Default]:
        """Yield what Pelican's gives to all posts."""
        yield "", None, self.config

    def list_rules(self) -> Iterator[Rules]:
        """Yield what such sites make no pages of."""
        yield read_rules(*_NEVER_PAGES)
