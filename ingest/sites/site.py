"""Find the site that publishes a content folder, by its configuration and two options."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import NoLink, UsageError
from blog_search_mcp.index.posts.cascades import SiteFields
from blog_search_mcp.index.posts.walk import LEVELS_ABOVE
from blog_search_mcp.index.types import MAX_ADDRESS
from blog_search_mcp.ingest.sites.base import Generator
from blog_search_mcp.ingest.sites.config import Config, read_config
from blog_search_mcp.ingest.sites.engine import TOO_LONG, UrlFields
from blog_search_mcp.ingest.sites.hugo import Hugo
from blog_search_mcp.ingest.sites.jekyll import STYLES, Jekyll
from blog_search_mcp.ingest.sites.others import Hexo, MkDocs, Program, Quarto, Zola

GENERATORS = (Zola, Hugo, Hexo, MkDocs, Quarto, Program, Jekyll)
"""In the order in which a folder is tried: any `_config.yml` that is not Hexo's is Jekyll's."""
_BY_NAME = {kind.__name__.lower(): kind for kind in GENERATORS if kind is not Program}

_ADVICE = "(--base-url and --permalink give it)"
_NO_SITE = (
    f"no configuration of {', '.join(kind.__name__ for kind in _BY_NAME.values())} names the "
    "blog's address"
)


@dataclass(frozen=True, slots=True)
class Site:
    """Where a content folder is published, if anywhere."""

    base_url: str
    """Without a slash at the end; empty if it is not known."""
    why_not: str
    """Why no post has a link; empty if some may."""
    generator: Generator
    """By the nearest configuration, else by the options."""
    links: Generator
    """The same, unless the options name another one."""
    is_configured: bool

    @property
    def fields(self) -> SiteFields:
        """What the configuration says of the fields of posts, by their places from here."""
        prefix = self.generator.prefix
        roots = (f"{folder}/" for folder in self.generator.list_folders())
        root = next((root for root in roots if prefix.startswith(root)), "content/")
        defaults = tuple(
            (place.removeprefix(prefix) if place.startswith(prefix) else "", collection, fields)
            for place, collection, fields in self.generator.list_defaults()
            if place.startswith(prefix) or prefix.startswith(place)
        )
        cascade = self.generator.config.get("cascade")
        return SiteFields(prefix, root, isinstance(self.generator, Zola), cascade, defaults)

    @property
    def digest(self) -> str:
        """Changes whenever a setting changes that may change a link or which files are posts."""
        is_whole = self.is_configured and not self.generator.prefix
        facts = (self.base_url, self.base_url and self.links, is_whole and self.generator)
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]

    def with_sources(self, sources: Iterable[str]) -> "Site":
        """Take note of which folders hold an `index`, which may make other files there no pages."""
        split = ((self.links.prefix + source).rpartition("/") for source in sources)
        bundles = frozenset(folder for folder, _, name in split if name.startswith("index."))
        return replace(self, links=self.links.model_copy(update={"bundles": bundles}))

    def publishes(self, source: str) -> bool:
        """Whether a file of a site's whole folder may be a page or a post, by its place."""
        is_part = bool(self.generator.prefix) or not self.is_configured
        return is_part or _locate(self.generator, source) is not None

    def post_url(self, source: str, fields: UrlFields) -> str:
        """Return the URL of a post without an anchor. Raises NoLink if it is not sure."""
        if self.why_not:
            raise NoLink(self.why_not)
        located = _locate(self.links, self.links.prefix + source)
        if located is None:
            raise NoLink("outside what the site makes pages of")
        url = self.base_url + self.links.find_path(*located, fields)
        if len(url) > MAX_ADDRESS:
            raise NoLink(TOO_LONG)
        return url


def _locate(generator: Generator, place: str) -> tuple[str, str] | None:
    """Return the folder of posts that a place is in, and its path below it; `None` if no page."""
    for folder in generator.list_folders():
        if not folder or place.startswith(f"{folder}/"):
            inner = place.removeprefix(f"{folder}/")
            return None if generator.leaves_out(inner) else (folder, inner)
    return None


def find_site(content: Path, base_url: str = "", permalink: str = "") -> Site:
    """Return the site of `content`, as configured but for what the options replace.

    The nearest configuration counts. `permalink` names a generator, a pattern, or both as
    `hugo:/:section/:slug/`. Raises UsageError for options that contradict each other or what is
    there.
    """
    if base_url and not _is_web(base_url):
        raise UsageError(
            f"--base-url {base_url} is no address; give one such as https://example.org/blog."
        )
    content = content.resolve()
    generator, unread = _find_configured(content)
    links = _choose_links(generator, permalink, content)
    if base_url and links is None:
        raise UsageError(
            "--base-url alone does not tell how links are made, nor does a site configuration: "
            "add --permalink with a generator or a pattern."
        )
    base = (base_url or (links.base_url if links else "")).rstrip("/")
    doubt = links.doubt if links else unread
    if not _is_web(base):
        if permalink:
            raise UsageError("--permalink needs --base-url: no site configuration names one.")
        base, doubt = "", doubt or _NO_SITE
    why_not = doubt and f"{doubt} {_ADVICE}"
    known = generator or links or Generator()
    return Site(base, why_not, known, links or known, is_configured=generator is not None)


def _choose_links(generator: Generator | None, permalink: str, content: Path) -> Generator | None:
    """Return by what links are made: as configured, unless the option says more.

    Raises UsageError.
    """
    name, _, pattern = permalink.partition(":")
    if name not in _BY_NAME:
        name, pattern = "jekyll" if permalink in STYLES else "", permalink
    if pattern and pattern not in STYLES and not set("/:") & set(pattern):
        names = ", ".join(_BY_NAME)
        raise UsageError(f"--permalink {permalink} is neither a generator ({names}) nor a pattern.")
    kind, links = _BY_NAME.get(name), generator
    if pattern and not (kind or (generator and generator.takes_patterns)):
        has_posts = content.name == "_posts" or (content / "_posts").is_dir()
        kind = Jekyll if has_posts else Hugo
    if kind and not isinstance(generator, kind):
        links = _assume(kind, content, is_assumed=kind is Hugo and not name)
    if links and pattern:
        if not links.takes_patterns:
            title = type(links).__name__
            raise UsageError(f"{title} has no permalink patterns; give --permalink {name} alone.")
        links = links.model_copy(update={"pattern": pattern, "doubt": ""})
    return links


def _assume(kind: type[Generator], content: Path, *, is_assumed: bool) -> Generator:
    """Return a generator without a configuration; the folder is the site's if it has a home."""
    made = kind.make({})
    prefix = f"{made.folder}/" * bool(made.folder)
    if made.folder and (content / made.folder).is_dir():
        prefix = ""
    elif kind.posts and not any(content.glob(kind.posts)):
        prefix += "_posts/"
    return made.model_copy(update={"prefix": prefix, "is_assumed": is_assumed})


def _find_configured(content: Path) -> tuple[Generator | None, str]:
    """Return the generator by the configuration nearest to the posts, and what cannot be read."""
    unread = ""
    for folder in (content, *content.parents[:LEVELS_ABOVE]):
        for kind in GENERATORS:
            if any((folder / file).exists() for file in kind.files):
                config, fault = _read_settings(kind, folder)
                unread = unread or fault
                made = kind.read(config, folder)
                if made is None and fault and (folder / kind.make({}).folder).is_dir():
                    made = kind.make({})
                if made is not None:
                    place = content.relative_to(folder).as_posix()
                    prefix = f"{place}/" if folder != content else ""
                    update = {"prefix": prefix, "doubt": fault or made.doubt}
                    return made.model_copy(update=update), unread
    return None, unread


def _read_settings(kind: type[Generator], folder: Path) -> tuple[Config, str]:
    """Return the configuration of a site's folder, and what of it cannot be read."""
    config, faults = Config(), list[str]()
    folders = ("config/_default", "config/production") if kind is Hugo else ()
    parts = [path for name in folders for path in sorted(folder.glob(f"{name}/*.*"))]
    for path in (*(folder / name for name in kind.files), *parts):
        is_part = path.parent != folder
        if is_part or not (config or faults):
            part, fault = read_config(path, any_case=kind is Hugo)
            config |= {path.stem: part} if is_part and path.stem not in ("hugo", "config") else part
            place = path.relative_to(folder).as_posix()
            faults += [f"{place} cannot be read: {fault}"] if fault else []
    return config, next(iter(faults), "")


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
