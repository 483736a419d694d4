"""Hexo, MkDocs, Quarto and Zola, and sites that programs configure."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.metadata import Fields
from blog_search_mcp.index.posts.visibility import LOCKED_WHEN
from blog_search_mcp.ingest.sites import addresses
from blog_search_mcp.ingest.sites.generator import Default, Generator, Off, at
from blog_search_mcp.ingest.sites.settings import find_setting, get_text, list_maps, list_texts

_HEXO_TOKEN = re.compile(r":(\w*[^_\W])", re.ASCII)


class Hexo(Generator):
    """Hexo: posts follow a pattern, which may name any field; other files keep their place."""

    files: ClassVar = ("_config.yml", "_config.yaml")
    marks: ClassVar = {"source_dir", "public_dir", "new_post_name", "default_layout"}
    dated: ClassVar = "_posts"
    takes_patterns: ClassVar = True

    address: object = at("url")
    folder: str = at("source_dir", default="source")
    filename_case: Off = False
    new_post_name: Literal[":title.md"] = ":title.md"
    permalink: str = ":year/:month/:day/:title/"
    post_asset_folder: bool = False

    def list_defaults(self) -> Iterator[Default]:
        """Yield the tags that hexo-blog-encrypt locks, and the time zone."""
        tags = list_maps(find_setting(self.config, "encrypt.tags"))
        names = ",".join(get_text(tag, "name") for tag in tags)
        yield "", None, {LOCKED_WHEN: {"tags": names} if names else {}}
        yield from super().list_defaults()

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the path of a post or page. Raises NoLink."""
        stem, written = inner.rpartition(".")[0], get_text(fields, "permalink")
        if stem.startswith("_posts/"):
            path = written or self._fill(stem.removeprefix("_posts/"), fields)
            path += "/" * (self.post_asset_folder and not path.endswith(("/", ".html")))
        elif stem.startswith("_") or written:
            raise NoLink("in a folder with _, or a page with a permalink of its own")
        else:
            path = stem + ".html"
        return addresses.encode("/" + path.lstrip("/"), ";,/?:@&=+$-_.!~*'()#")

    def _fill(self, name: str, fields: Fields) -> str:
        day = addresses.find_day(fields, self.timezone) if get_text(fields, "date") else None
        values = {
            **addresses.split_date(day, ("year", "month", "day", "i_month", "i_day")),
            **dict.fromkeys(("title", "slug"), name),
            "name": name.rpartition("/")[2],
            # Of its database, of the building machine's clock, and spelled in ways of its own.
            **dict.fromkeys(("id", "hash", "timestamp", "hour", "minute", "second")),
            **dict.fromkeys(("category", "post_title")),
        }
        pattern = self.pattern or self.permalink
        given = {token: get_text(fields, token) or None for token in _HEXO_TOKEN.findall(pattern)}
        named = {token: values[token.lower()] for token in given if token.lower() in values}
        return addresses.fill(pattern, _HEXO_TOKEN, given | named)


_MOVING = {"i18n", "mike", "exclude", "file-filter", "offline"}
"""Plugins that give pages other addresses, or make none of some."""


class MkDocs(Generator):
    """MkDocs: pages keep their place; posts of Material's plugin blog have no addresses."""

    files: ClassVar = ("mkdocs.yml", "mkdocs.yaml")
    endings: ClassVar = (".md", ".markdown")
    never: ClassVar = (".*", "/templates/")
    """https://www.mkdocs.org/user-guide/configuration/#exclude_docs"""

    address: object = at("site_url")
    folder: str = at("docs_dir", default="docs")
    draft_docs: str = ""
    exclude_docs: str = ""
    inherits: Off = at("INHERIT", default=False)
    plugins: object = ()
    use_directory_urls: bool = True
    versions: Literal[""] = at("extra", "version", "provider")
    """A program that gives each version of the site an address of its own."""

    def prints_braces(self) -> bool:
        """Whether no plugin runs Jinja over pages."""
        return not re.search("macro|jinja|markdownextra|include", str(self.plugins))

    def find_doubts(self) -> Iterator[str]:
        """Yield plugins that may move pages."""
        for name in sorted(self._name_plugins() & _MOVING):
            yield f"the plugin {name} decides which pages there are, and where"
        if re.search("(blog|post)_dir", str(self.plugins)):
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

    def list_rules(self) -> tuple[str, ...]:
        """List what is never published, and what settings add to it."""
        return (*self.never, *self.exclude_docs.splitlines(), *self.draft_docs.splitlines())

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:
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


class Quarto(Generator):
    """Quarto: a document of a website is the page `name.html` at its place."""

    files: ClassVar = ("_quarto.yml", "_quarto.yaml")
    marks: ClassVar = {"project"}
    endings: ClassVar = (".md", ".qmd")
    never: ClassVar = ("_*", "README.md", "README.qmd", "/renv/", "/packrat/", "/rsconnect/")
    """https://quarto.org/docs/projects/quarto-projects.html#render-targets, and R's packages."""

    address: object = at("website", "site-url")
    draft: object = ""
    draft_mode: object = at("website", "draft-mode")
    drafts: object = at("website", "drafts")
    metadata_files: Off = at("metadata-files", default=False)
    output: str = at("project", "output-dir")
    profile: Off = False
    render: object = at("project", "render", default=[])

    def prints_braces(self) -> bool:
        """Quarto runs shortcodes alone."""
        return True

    def find_doubts(self) -> Iterator[str]:
        """Yield what is rendered of some files alone or to other formats."""
        if self.render or not _is_html(self.config):
            yield "what _quarto.yml renders is not sure"

    def list_defaults(self) -> Iterator[Default]:
        """Yield whether documents are drafts."""
        yield "", None, {"draft": self.draft}

    def list_rules(self) -> Iterator[str]:
        """Yield what `render` may leave out, what is never rendered, drafts and what was made."""
        named = [path.replace("./", "/") for path in list_texts(self.render)]
        shown = [f"!**/{path}" for path in named if not path.startswith("!")]
        if shown and not set("{}()|") & set("".join(shown)):
            yield from ("*", *shown)
        yield from (*self.never, *(f"**/{path[1:]}" for path in named if path.startswith("!")))
        if self.draft_mode != "visible":
            yield from (f"/{path}" for path in list_texts(self.drafts))
        yield f"/{posixpath.normpath(self.output)}/"

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:
        """Return the path of a document's page. Raises NoLink."""
        if get_text(fields, "output-file") or not _is_html(fields):
            raise NoLink("rendered to another file or format")
        return super().find_path(folder, inner, fields)


def _is_html(fields: Fields) -> bool:
    """Whether `format`, which is one or a mapping by name, has that of pages, as by default."""
    written = fields.get("format") or "html"
    return "html" in (written if isinstance(written, Mapping) else [written])


_ZOLA_DATED = re.compile(r"^\d{4}-[01]\d-[0-3]\d(?:T\d\d:[^_]+?)?\s?[_-](?P<slug>.+)$")


class Zola(Generator):
    """Zola: addresses follow the content folder, with names spelled in ASCII by default."""

    files: ClassVar = ("zola.toml", "config.toml")
    marks: ClassVar = {"base_url"}
    endings: ClassVar = (".md",)

    address: object = at("base_url")
    folder: str = "content"
    default_language: str = "en"
    keeps_dates: Off = at("slugify", "paths_keep_dates", default=False)
    languages: dict[str, Any] = at("languages", default={})
    slugs: Literal["on"] = at("slugify", "paths", default="on")

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the path of a post or section, a bundle's by its folder. Raises NoLink."""
        above, _, file = inner.rpartition("/")
        name = file.removesuffix(".md")
        stem, _, code = name.partition(".")
        others = self.languages.keys() - {self.default_language}
        if others and code not in ("", self.default_language, *others):
            raise NoLink("its language is none of the site's")
        name, language = (stem, code) if code in others else (name, "")
        written = "" if name == "_index" else get_text(fields, "path")
        if above and name.partition(".")[0] == "index":
            above, _, last = above.rpartition("/")
            name = last if name == "index" else name
        path = written or f"{language}/{above}/{_spell(name, fields)}".replace("//", "/")
        return addresses.encode(f"/{path.strip('/')}/".replace("//", "/"), "!$&'()*+,/:;=@")


def _spell(name: str, fields: Fields) -> str:
    """Return the last part of an address, `""` for a section or the whole site."""
    if name in ("index", "_index"):
        return ""
    dated = _ZOLA_DATED.match(name)
    slug = get_text(fields, "slug") or (dated["slug"] if dated else name)
    spelled = re.sub("[^a-z0-9]+", "-", slug.lower()).strip("-")
    if not (slug.isascii() and spelled):
        raise NoLink("a name that Zola may spell in another way")
    return spelled


_MODULES = ("js", "mjs", "cjs", "ts", "mts", "cts")


class Program(Generator):
    """A site whose configuration is a program, which is not run, so that no address is known."""

    files: ClassVar = (
        *(f"{x}.config.{end}" for x in ("astro", "docusaurus", "eleventy") for end in _MODULES),
        *(".eleventy.js", ".vitepress", "pelicanconf.py"),
    )
    never: ClassVar = (
        *("/build/", "/dist/", "/output/", "/public/", "/static/", "/_site/", "/theme/"),
        *("/themes/", "/plugins/", "_data/", "_includes/", "_partials/"),
    )
    """What is built, copied as it is or included."""

    @classmethod
    def read(cls, config: dict[str, Any], folder: Path) -> Self:
        """Know the generator by the name of its configuration."""
        name = next(name for name in cls.files if (folder / name).exists())
        return cls.make(config, f"of the program {name} no address is read")

    def list_defaults(self) -> Iterator[Default]:
        """Yield what Pelican's program gives to all posts."""
        yield "", None, self.config
