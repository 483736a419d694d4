"""Find the site that publishes a content folder, by its configuration and two options."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.posts.walk import LEVELS_ABOVE
from blog_search_mcp.ingest.sites.base import Site, SiteGenerator
from blog_search_mcp.ingest.sites.config import describe_fault
from blog_search_mcp.ingest.sites.generators.hexo import Hexo
from blog_search_mcp.ingest.sites.generators.hugo import Hugo
from blog_search_mcp.ingest.sites.generators.jekyll import Jekyll
from blog_search_mcp.ingest.sites.generators.mkdocs import MkDocs
from blog_search_mcp.ingest.sites.generators.programs import Program
from blog_search_mcp.ingest.sites.generators.quarto import Quarto
from blog_search_mcp.ingest.sites.generators.zola import Zola

GENERATORS: tuple[type[SiteGenerator], ...] = (
    Hugo,
    Zola,
    Hexo,
    MkDocs,
    Quarto,
    Program,
    Jekyll,
)
"""In the order in which a folder is tried: any `_config.yml` that is not Hexo's is Jekyll's."""

PLAIN = Hugo(dated_names=True, titles=False, is_assumed=True)
"""For a pattern of no known generator: Hugo's tokens, but files with a day in their names have it
as their date and `:slug` is the file's name where the post has none."""

_NAMES = [kind.__name__ for kind in GENERATORS if kind.name]
_ADVICE = "(--base-url and --permalink give it)"
NO_SITE = (
    f"no configuration of {', '.join(_NAMES[:-1])} or {_NAMES[-1]} names the blog's address "
    f"{_ADVICE}"
)
"""Why no post has a link."""


def find_site(content: Path, base_url: str = "", permalink: str = "") -> Site | None:
    """Return the site of `content`, as configured but for what the options replace.

    The nearest configuration counts. `permalink` names a generator, a pattern, or both as
    `hugo:/:section/:slug/`. `None` without a base URL. Raises UsageError for options that
    contradict each other or what is there.
    """
    if base_url and not _is_web(base_url):
        raise UsageError(
            f"--base-url {base_url} is no address; give one such as https://example.org/blog."
        )
    name, pattern = _split_permalink(permalink)
    site = _find_configured(content.resolve(), name)
    is_bare = pattern and not name
    if not site or not site.generator.name or (is_bare and not site.generator.takes_patterns):
        assumed = _assume(content, name, pattern)
        site = replace(assumed, base_url=site.base_url) if site and assumed else assumed
    if site is None and base_url:
        raise UsageError(
            "--base-url alone does not tell how links are made, nor does a site configuration: "
            "add --permalink with a generator or a pattern."
        )
    base = base_url or (site.base_url if site else "")
    if site is None or not _is_web(base):
        if permalink:
            raise UsageError("--permalink needs --base-url: no site configuration names one.")
        return None
    generator = site.generator.with_pattern(pattern) if pattern else site.generator
    return replace(site, base_url=base.rstrip("/"), generator=generator)


def explain_no_site(content: Path) -> str:
    """Say why `find_site` finds none: the configuration that is not or cannot be read, if any."""
    content = content.resolve()
    found = _find_configured(content, "")
    if found and isinstance(found.generator, Program):
        return (
            f"the configuration of {found.generator.title} is a program, of which the blog's "
            f"address is not read {_ADVICE}"
        )
    names = dict.fromkeys(file for kind in GENERATORS for file in kind.config_files)
    for above, folder in enumerate((content, *content.parents[:LEVELS_ABOVE])):
        of_hugo = sorted(folder.glob("config/_default/*.*"))
        for path in (*(folder / name for name in names), *of_hugo):
            if path.is_file() and (fault := describe_fault(path)):
                place = "../" * above + path.relative_to(folder).as_posix()
                return f"{NO_SITE}; {place}, seen from the posts, cannot be read: {fault}"
    return f"{found.generator.doubt} {_ADVICE}" if found and found.generator.doubt else NO_SITE


def _split_permalink(permalink: str) -> tuple[str, str]:
    """Split it into a generator's name and a pattern; each may be `""`. Raises UsageError."""
    name, colon, pattern = permalink.partition(":")
    names = [generator.name for generator in GENERATORS if generator.name]
    if name in names:
        return name, pattern
    for generator in GENERATORS:
        if permalink in generator.styles:
            return generator.name, permalink
    if permalink and not (colon or "/" in permalink):
        raise UsageError(
            f"--permalink {permalink} is neither a generator ({', '.join(names)}) nor a pattern."
        )
    return "", permalink


def find_configured_site(content: Path) -> Site | None:
    """Return the site by the nearest configuration, whose base URL may be empty."""
    return _find_configured(content.resolve(), "")


def _find_configured(content: Path, name: str) -> Site | None:
    """Return the site by the nearest configuration, if it is of the generator `name`."""
    for folder in (content, *content.parents[:LEVELS_ABOVE]):
        for kind in GENERATORS:
            files = [folder / file for file in kind.config_files if (folder / file).exists()]
            if files and (detected := kind.detect(folder) or _detect_broken(kind, folder, files)):
                prefix = "" if folder == content else f"{content.relative_to(folder).as_posix()}/"
                return Site(*detected, prefix) if name in ("", kind.name) else None
    return None


def _detect_broken(
    kind: type[SiteGenerator], folder: Path, files: Iterable[Path]
) -> tuple[str, SiteGenerator] | None:
    """Take a folder with an unreadable configuration for a site as it is without settings."""
    faults = ((path.name, describe_fault(path)) for path in files)
    doubt = next((f"{name} cannot be read: {fault}" for name, fault in faults if fault), "")
    has_posts = (folder / kind.home).is_dir()
    return ("", kind(doubt=doubt)) if doubt and has_posts else None  # type: ignore[call-arg]


def _assume(content: Path, name: str, pattern: str) -> Site | None:
    """Return the site that the options alone describe, without a base URL."""
    if not (name or pattern):
        return None
    has_posts = content.name == "_posts" or (content / "_posts").is_dir()
    by_name: dict[str, SiteGenerator] = {kind.name: kind() for kind in GENERATORS}
    generator = by_name[name] if name else Jekyll() if has_posts else PLAIN
    return Site("", generator, generator.guess_prefix(content))


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
