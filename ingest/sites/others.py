"""Hexo, MkDocs, Quarto and Zola, and sites that programs configure."""

import os
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal, Self
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.visibility import LOCKED_WHEN, PROFILES, ZONE
from blog_search_mcp.ingest.sites.base import Generator, Off, On, at
from blog_search_mcp.ingest.sites.config import (
    Config,
    get_map,
    get_text,
    list_maps,
    list_texts,
    read_config,
)
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

    folder: str = at("source_dir", default="source")
    category_map: Off = False
    default_category: str = "uncategorized"
    filename_case: Off = False
    new_post_name: Literal[":title.md"] = ":title.md"
    permalink: str = ":year/:month/:day/:title/"
    post_asset_folder: bool = False
    shows_html: On = at("pretty_urls", "trailing_html", default=True)
    shows_index: On = at("pretty_urls", "trailing_index", default=True)
    timezone: str = ""

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:
        """Read `_config.yml` if a setting, `package.json` or the folders are Hexo's."""
        package = read_config(folder / "package.json")[0]
        uses_hexo = "hexo" in package or "hexo" in get_map(package, "dependencies")
        is_its = uses_hexo or (folder / "source" / "_posts").is_dir() or _HEXO_MARKS & config.keys()
        if not config or not is_its:
            return None
        tags = list_maps(get_map(config, "encrypt").get("tags"))  # of hexo-blog-encrypt
        names = [get_text(tag, "name") for tag in tags]
        locked = {"tags": ",".join(names)} if names else {}
        default = ("", None, {ZONE: get_text(config, "timezone"), LOCKED_WHEN: locked})
        return cls.make(config, address=get_text(config, "url"), inherited=(default,))

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
_MOVING = ("i18n", "mike", "exclude", "file-filter", "material/offline")
"""Plugins of MkDocs that give pages other addresses, or make none of some."""
_BLOG = {"blog_dir": "blog", "post_url_format": "{date}/{slug}"}
"""Settings of Material's blog plugin, with their defaults:
https://squidfunk.github.io/mkdocs-material/plugins/blog/."""
_WHICH = ("enabled", "post_dir")
_OPEN = ("post_slugify", "post_slugify_separator", "post_url_date_format")
"""Those that leave open where its posts are, some of them functions, which are not run."""
_BLOG_TOKEN = re.compile(r"\{([^{}]*)\}")


class MkDocs(Generator):
    """MkDocs: pages keep their place; posts of Material's blog plugin follow a pattern."""

    files: ClassVar = ("mkdocs.yml", "mkdocs.yaml")
    endings: ClassVar = (".md", ".markdown")

    folder: str = at("docs_dir", default="docs")
    excluded: tuple[Rules, ...] = (_MKDOCS_NEVER,)
    inherits: Off = at("INHERIT", default=False)
    plugins: object = ()
    theme: object = ""
    use_directory_urls: bool = True

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:
        """Read `mkdocs.yml`, unless its pages lie elsewhere."""
        docs = posixpath.normpath(get_text(config, "docs_dir") or "docs")
        # Path.is_dir raises for a name that is too long.
        is_inside = not docs.startswith(("/", "..")) and os.path.isdir(folder / docs)  # noqa: PTH112
        if not config or not is_inside:
            return None
        plugins = _list_plugins(config.get("plugins"), config.get("theme"))
        passwords = [x.get("global_password") for name, x in plugins if name == "encryptcontent"]
        lock = {LOCKED_WHEN: {"level": "*"}}
        rules = [read_rules(config.get(name)) for name in ("exclude_docs", "draft_docs")]
        return cls.make(
            config,
            _find_mkdocs_doubts(config),
            address=get_text(config, "site_url"),
            excluded=((*_MKDOCS_NEVER, *rules[0]), rules[1]),
            inherited=tuple(("", None, {"password": x, **lock}) for x in passwords),
        )

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:
        """Return the path of a page or post. Raises NoLink."""
        path = PurePosixPath(inner)
        page = str(path.with_suffix(""))
        given = dict(_list_plugins(self.plugins, self.theme)).get("material/blog")
        blog = _BLOG | dict(given or {})
        folder = posixpath.normpath(blog["blog_dir"])
        if given is not None and inner.startswith(posixpath.normpath(f"{folder}/posts")):
            if not given.keys().isdisjoint(_OPEN):
                raise NoLink("settings of the plugin blog are not understood")
            place = _fill_blog_pattern(blog["post_url_format"], path.stem, fields)
            page = posixpath.normpath(f"{folder}/{place}")
        elif path.stem == "README":
            raise NoLink("a README, which gives way to an index.md beside it")
        if not self.use_directory_urls:
            return quote(f"/{page}.html")
        above, _, last = page.rpartition("/")
        shown = above if last == "index" else page
        return quote(f"/{shown}/") if shown not in ("", ".") else "/"


def _find_mkdocs_doubts(config: Config) -> Iterator[str]:
    """Yield what of rules, versions and plugins makes every address unsure."""
    for name in ("exclude_docs", "draft_docs"):
        if config.get(name) and not read_rules(config[name]):
            yield f"{name} of mkdocs.yml cannot be read"
    if get_map(config, "extra", "version").get("provider") == "mike":
        yield "the site has versions, of which each has other addresses"
    plugins = [*_list_plugins(config.get("plugins"), config.get("theme"))]
    names = [name for name, _ in plugins]
    for name, given in plugins:
        # What the environment enables for a build is not what is published.
        is_off = ("false", "ellipsis") if name == "material/offline" else ("false",)
        if name in _MOVING and str(given.get("enabled", True)).lower() not in is_off:
            yield f"the plugin {name} decides which pages there are, and where"
        if name == "blog":
            yield "the plugin blog is not known to be Material's"
        if name == "material/blog" and "material/meta" in names:
            yield "the plugin meta gives posts fields that their files have not"
        are_texts = all(isinstance(given.get(key, ""), str) for key in _BLOG)
        is_sure = are_texts and given.keys().isdisjoint(_WHICH) and names.count(name) == 1
        if name == "material/blog" and not is_sure:
            yield "which posts the plugin blog has, and where, is not sure"


def _fill_blog_pattern(pattern: str, stem: str, fields: UrlFields) -> str:
    """Return the place of a post's page below the blog's. Raises NoLink."""
    name = "index" if stem == "README" else stem
    day = fields.date_in("") if fields.get("date") else None
    is_heading = fields.first_line.startswith("# ")
    heading = fields.first_line.lstrip("# ") if is_heading else re.sub("[-_]", " ", name)
    title = re.sub("<[^<>]*>", "", unicodedata.normalize("NFC", fields.get("title") or heading))
    values = {
        "date": f"{day:%Y/%m/%d}" if day else None,
        "file": name,
        "slug": fields.get("slug")
        or re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-"),
    }
    return fill_pattern(pattern, _BLOG_TOKEN, values).strip("/")


def _list_plugins(plugins: object, theme: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield names and settings of plugins, those of Material under their full names."""
    has_material = "material" in (theme, theme.get("name") if isinstance(theme, Mapping) else "")
    for item in plugins if isinstance(plugins, list) else [plugins]:
        named = item if isinstance(item, Mapping) else {item: {}} if isinstance(item, str) else {}
        for name, given in named.items():
            is_short = has_material and name in ("blog", "meta", "offline")
            full = f"material/{name}" if is_short else str(name)
            yield full, given if isinstance(given, Mapping) else {}


_QUARTO_NEVER = ("_*", "README.md", "README.qmd", "/renv/", "/packrat/", "/rsconnect/")
"""What is no document (https://quarto.org/docs/projects/quarto-projects.html#render-targets), and
folders of packages, which its engine for R passes over."""


class Quarto(Generator):
    """Quarto: a document of a website is the page `name.html` at its place."""

    files: ClassVar = ("_quarto.yml", "_quarto.yaml")
    endings: ClassVar = (".md", ".qmd")

    metadata_files: Off = at("metadata-files", default=False)
    profile: Off = False
    excluded: tuple[Rules, ...] = (_QUARTO_NEVER,)

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:  # noqa: ARG003 - of any
        """Read `_quarto.yml` of a website; other projects, as books, have other pages."""
        project, profile = get_map(config, "project"), get_map(config, "profile")
        site = get_map(config, "website") or get_map(config, "site")
        if project.get("type") not in ("website", "site"):
            return None
        listed = [_to_rule(glob) for glob in list_texts(project.get("render"))]
        left_out = [rule[1:] for rule in listed if rule.startswith("!")]
        if site.get("draft-mode") != "visible":
            left_out += [f"/{path}" for path in list_texts(site.get("drafts"))]
        output = posixpath.normpath(get_text(project, "output-dir"))
        left_out += [] if output.startswith(".") else [f"/{output}/"]
        excluded = read_rules("\n".join((*_QUARTO_NEVER, *left_out)))
        rendered = read_rules("\n".join(rule for rule in listed if not rule.startswith("!")))
        is_sure = bool(excluded) and all(listed)
        doubt = "" if is_sure and _is_html(config) else "what _quarto.yml renders is not sure"
        listed_groups = profile.get("group")
        groups = listed_groups if isinstance(listed_groups, list) else []
        nested = [group for group in groups if isinstance(group, list)] or [groups]
        first = [name for group in nested for name in list_texts(group)[:1]]
        profiles = " ".join((*list_texts(profile.get("default")), *first))
        return cls.make(
            config,
            [doubt] if doubt else [],
            address=get_text(site, "site-url"),
            excluded=(excluded if is_sure else _QUARTO_NEVER,),
            rendered=rendered if is_sure else (),
            inherited=(("", None, {"draft": config.get("draft"), PROFILES: profiles}),),
        )

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Return the path of a document's page. Raises NoLink."""
        if fields.get("output-file") or not _is_html(fields.values):
            raise NoLink("rendered to another file or format")
        return quote(f"/{inner.rpartition('.')[0]}.html")


def _is_html(fields: Mapping[str, Any]) -> bool:
    """Whether `format`, which is one or a mapping by name, has that of pages, as by default."""
    written = fields.get("format") or "html"
    return "html" in (written if isinstance(written, Mapping) else [written])


def _to_rule(glob: str) -> str:
    """Return a pattern of `render` as a rule of a `.gitignore`, `""` if it has other marks.

    One that is excluded by `!` or has stars counts in every folder unless it begins with `/`.
    """
    if set("{}()|") & set(glob) or not read_rules(glob):
        return ""
    path = glob.removeprefix("!").removeprefix("./")
    is_anywhere = glob.startswith("!") or set("*?[") & set(glob)
    folders = "" if path.startswith("/") else "**/" if is_anywhere else "/"
    return "!" * glob.startswith("!") + folders + path


_ZOLA_DATED = re.compile(
    r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?\s?[_-](?P<slug>.+)$"
)


class Zola(Generator):
    """Zola: addresses follow the content folder, with names spelled in ASCII by default."""

    files: ClassVar = ("zola.toml", "config.toml")

    folder: str = "content"
    default_language: str = "en"
    keeps_dates: bool = at("slugify", "paths_keep_dates", default=False)
    languages: dict[str, Any] = at("languages", default={})
    slugs: Literal["on", "safe"] = at("slugify", "paths", default="on")
    """Whether names are spelled in ASCII, or lose signs alone."""

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:  # noqa: ARG003 - of any
        """Read `config.toml`, if its base URL is not written as Hugo's of the same name."""
        address = get_text(config, "base_url")
        return cls.make(config, address=address) if "base_url" in config else None

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Return the path of a post or section. Raises NoLink."""
        above, _, file = inner.rpartition("/")
        if not file.endswith(".md"):
            raise NoLink("not a .md file, which are all that Zola publishes")
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
        if self.slugs == "safe":
            slug = re.sub(r'[<>:"/\\|?*]', "", slug.rstrip(" ."))
        elif slug.isascii():
            slug = re.sub("[^a-z0-9]+", "-", slug.lower()).strip("-")
        else:
            raise NoLink("a name with letters that Zola may spell in another way")
        if not slug:
            raise NoLink("no letter of its name can stand in an address")
        return f"{folder}/{slug}" if folder else slug


_MODULES = ("js", "mjs", "cjs", "ts", "mts", "cts")
_PROGRAMS: dict[str, tuple[str, Rules]] = {
    **{
        f"docusaurus.config.{end}": ("Docusaurus", ("/build/", "/static/", "_*/"))
        for end in _MODULES
    },
    **{f"astro.config.{end}": ("Astro", ("/dist/", "/public/")) for end in _MODULES},
    ".vitepress": ("VitePress", ()),
    **dict.fromkeys(
        (".eleventy.js", *(f"eleventy.config.{end}" for end in _MODULES)),
        ("Eleventy", ("/_site/", "_includes/", "_data/")),
    ),
    "pelicanconf.py": ("Pelican", ("/output/", "/theme/", "/themes/", "/plugins/")),
}
"""What such a site makes no pages of by default, by the name of its configuration: what is built,
copied as it is or included, besides hidden folders.
https://docusaurus.io/docs/configuration and /docs/api/plugins/@docusaurus/plugin-content-blog,
https://docs.astro.build/en/reference/configuration-reference/, https://www.11ty.dev/docs/config/.
Eleventy's includes and data lie below its input folder, which may be any. VitePress builds in a
hidden folder and makes a page of any other file."""


class Program(Generator):
    """A site whose configuration is a program, which is not run, so that no address is known."""

    files: ClassVar = tuple(_PROGRAMS)
    has_addresses: ClassVar = False

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:
        """Know the generator by the name of its configuration; of Pelican's the text is read."""
        title, excluded = _PROGRAMS[next(x for x in _PROGRAMS if (folder / x).exists())]
        doubt = f"the configuration of {title} is a program, of which no address is read"
        return cls.make({}, [doubt], excluded=(excluded,), inherited=(("", None, config),))
