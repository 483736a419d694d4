"""Find the site that publishes a content folder, by its configuration and two options."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from blog_search_mcp.index.errors import NoLink, UsageError
from blog_search_mcp.index.text.languages import language_tag, primary_subtag
from blog_search_mcp.ingest.posts.metadata import Fields
from blog_search_mcp.ingest.posts.paths import parse_file, spelled_languages
from blog_search_mcp.ingest.posts.vault import OBSIDIAN
from blog_search_mcp.ingest.posts.walk import LEVELS_ABOVE
from blog_search_mcp.ingest.sites.configuration import (
    Config,
    list_languages,
    list_texts,
    read_authors,
    read_config,
)
from blog_search_mcp.ingest.sites.generator import Generator, check_length
from blog_search_mcp.ingest.sites.hugo import Hugo
from blog_search_mcp.ingest.sites.known_generators import STYLES, Hexo, Jekyll, MkDocs, Quarto, Zola
from blog_search_mcp.ingest.sites.script_site import ScriptSite

GENERATORS: tuple[type[Generator], ...] = (Zola, Hugo, Hexo, MkDocs, Quarto, ScriptSite, Jekyll)
"""Generators in the order of trial: a `_config.yml` that is not Hexo's is Jekyll's."""
_BY_NAME = {kind.__name__.lower(): kind for kind in GENERATORS if kind is not ScriptSite}
_NO_SITE = "no configuration of Zola, Hugo, Hexo, MkDocs, Quarto, Jekyll names the blog's address"
_WEB = re.compile(r"https?://\w\S*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Site:
    """Site that publishes a content folder, if there is one."""

    base_url: str
    """Base URL without a final slash; empty if it is not known."""
    generator: Generator
    """Generator of the nearest configuration, else of the options."""
    links: Generator
    """Generator of the links: `generator`, unless the options name another one."""
    is_configured: bool
    languages: frozenset[str] = frozenset()
    """Languages in the configuration, if there are several."""
    authors: Mapping[str, str] = field(default_factory=dict)
    """Names of authors by their keys in posts."""
    splits_tags: bool = False
    """Whether blanks separate tags in a string, as in Jekyll and in an Obsidian vault."""
    language: str = ""
    """The only language in the configuration, unless that is English."""

    @property
    def digest(self) -> str:
        """Digest of all settings that determine which files are posts and how they are read."""
        languages = sorted(self.languages), self.generator.list_languages(), dict(self.authors)
        links = self.base_url, self.links, self.links.sure_id_categories
        reading = self.generator, self.language, self.generator.prints_braces(), self.splits_tags
        return hashlib.sha256(repr((links, languages, reading)).encode()).hexdigest()[:16]

    def with_sources(self, sources: Iterable[str]) -> "Site":
        """Return the site with its bundles, which are folders with an `index` file."""
        paths = (parse_file(self.links.prefix + source) for source in sources)
        bundles = frozenset(path.page for path in paths if path.index == "index")
        return replace(self, links=self.links.model_copy(update={"bundles": bundles}))

    def find_language(self, source: str) -> tuple[str, str]:
        """Return a post's language and translation key, by its place; each is `""` if unknown.

        The key is the path below the folder of a language. Translations of a post share it.
        """
        place, folders = self.generator.prefix + source, self.generator.list_languages()
        for folder, code in folders.items() if len(folders) > 1 else ():
            if place.startswith(f"{folder}/"):
                return language_tag(code), place.removeprefix(f"{folder}/").rpartition(".")[0]
        spelled = (tag for tag in spelled_languages(source) if tag in self.languages)
        return next(spelled, ""), ""

    def publishes(self, source: str) -> bool:
        """Whether a file may be a page of the site, or no site publishes its content folder."""
        generator, prefix = self.generator, self.generator.prefix
        is_apart = not self.is_configured or bool(prefix and not _locate(generator, prefix))
        return is_apart or _locate(generator, prefix + source) is not None

    def post_url(self, source: str, fields: Fields) -> str:
        """Return the URL of a post without an anchor. Raises NoLink if it is not sure."""
        if self.links.doubt:
            raise NoLink(f"{self.links.doubt} (--base-url and --permalink give it)")
        located = _locate(self.links, self.links.prefix + source)
        if located is None:
            raise NoLink("outside what the site makes pages of")
        return check_length(self.base_url + self.links.find_path(*located, fields))


def _locate(generator: Generator, place: str) -> tuple[str, str] | None:
    """Split a path in the site into its folder of posts and the rest; `None` if it is no page."""
    for folder in generator.list_folders():
        if not folder or place.startswith(f"{folder}/"):
            inner = place.removeprefix(f"{folder}/")
            is_page = inner.endswith(generator.endings) and place in (generator.listed or [place])
            is_page = (is_page or place[-1] == "/") and not generator.leaves_out(folder, inner)
            return (folder, inner) if is_page else None
    return None


def find_site(content: Path, base_url: str = "", permalink: str = "") -> Site:
    """Return the site of `content`, from the nearest configuration and the two options.

    `permalink` is a generator, a pattern, or both, such as `hugo:/:section/:slug/`. Raises
    UsageError for unusable options, and ContentError for an unreadable file that may hide posts.
    """
    content = content.resolve()
    generator, unread = find_configured(content)
    links = _choose_links(generator, permalink, content)
    if base_url and links is None:
        raise UsageError(
            "--base-url alone does not tell how links are made, nor does a site configuration: "
            "add --permalink with a generator or a pattern."
        )
    links = links or Generator(doubt=unread or _NO_SITE)
    base = (base_url or links.base_url).rstrip("/")
    if not _WEB.fullmatch(base):
        if base_url or permalink:
            fault = f"{base} is no address of a site" if base else "No site is configured"
            raise UsageError(f"{fault}: give one by --base-url, such as https://example.org/blog.")
        base, links = "", links.model_copy(update={"doubt": links.doubt or _NO_SITE})
    tags = frozenset(list_languages(generator.config if generator else {}))
    several, roots = tags if len(tags) > 1 else frozenset[str](), {*map(primary_subtag, tags)}
    only = max(tags, key=len) if len(roots) == 1 and "en" not in roots else ""
    above = (content, *content.parents[:LEVELS_ABOVE])
    in_vault = generator is None and any((folder / OBSIDIAN).is_dir() for folder in above)
    splits_tags = in_vault or isinstance(generator, Jekyll)
    of_posts = several, read_authors(content), splits_tags, only
    return Site(base, generator or links, links, generator is not None, *of_posts)


def _choose_links(generator: Generator | None, permalink: str, content: Path) -> Generator | None:
    """Return the links' generator, by the option or configuration, if any. Raises UsageError."""
    name, _, pattern = permalink.partition(":")
    if name not in _BY_NAME:
        name, pattern = "jekyll" if permalink in STYLES else "", permalink
    kind, links = _BY_NAME.get(name), generator
    if pattern and not (kind or (generator and generator.token)):
        has_posts = content.name == "_posts" or (content / "_posts").is_dir()
        kind = Jekyll if has_posts else Hugo
    if kind and not isinstance(generator, kind):
        links = _assume_generator(kind, content, is_assumed=kind is Hugo and not name)
    if links and pattern:
        is_pattern = pattern in STYLES or set("/:") & set(pattern)
        if not (is_pattern and links.token):
            names = ", ".join(_BY_NAME)
            raise UsageError(
                f"--permalink {permalink} is neither a generator ({names}) nor a pattern of "
                "Hugo's, Jekyll's or Hexo's."
            )
        links = links.model_copy(update={"pattern": pattern, "doubt": ""})
    return links


def _assume_generator(kind: type[Generator], content: Path, *, is_assumed: bool) -> Generator:
    """Return a generator with defaults; `content` is its site if the folder of posts is in it."""
    made = kind.make({})
    prefix = f"{made.folder}/" if made.folder else ""
    if made.folder and (content / made.folder).is_dir():
        prefix = ""
    elif kind.dated and not any(content.glob(f"**/{kind.dated}")):
        prefix += f"{kind.dated}/"
    return made.model_copy(update={"prefix": prefix, "is_assumed": is_assumed})


def find_configured(content: Path) -> tuple[Generator | None, str]:
    """Return the nearest configuration's generator, if any, and the first fault (`""` if none)."""
    unread = ""
    for folder, kind in product((content, *content.parents[:LEVELS_ABOVE]), GENERATORS):
        if any((folder / file).exists() for file in kind.files):
            config, fault = _read_configuration(kind, folder)
            unread = unread or fault
            if made := kind.read(config, folder, fault):
                place = "" if folder == content else f"{content.relative_to(folder).as_posix()}/"
                return made.model_copy(update={"prefix": place}), unread
    return None, unread


def _read_configuration(kind: type[Generator], folder: Path) -> tuple[Config, str]:
    config, faults = Config(), list[str]()
    folders = ("_default", "production") if kind is Hugo else ()
    parts = [path for name in folders for path in sorted(folder.glob(f"config/{name}/*.*"))]
    for path in (*(folder / name for name in kind.files), *parts):
        is_part = path.parent != folder
        if is_part or not (config or faults):
            place = path.relative_to(folder).as_posix()
            part, fault = read_config(folder, place, any_case=kind is Hugo)
            config |= {path.stem: part} if is_part and path.stem not in ("hugo", "config") else part
            faults += [f"{place} cannot be read: {fault}"] if fault else []
    for place in list_texts(config.get(kind.bases)):
        config = _merge(read_config(folder, place)[0], config)
    return config, next(iter(faults), "")


def _merge(base: object, config: Config) -> Config:
    above = base if isinstance(base, dict) else {}
    inner = {k: _merge(above.get(k), v) if isinstance(v, dict) else v for k, v in config.items()}
    return {**above, **inner}
