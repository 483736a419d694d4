"""Apply the fields that sections, data files and configurations pass down to posts.

Hugo reads the fields under `cascade` in a section's `_index.md` or in the configuration. It gives
them to the section's page and to every page below that lacks them; the nearest section wins
(https://gohugo.io/content-management/front-matter/#cascade-1). Zola builds nothing below a draft
section. An ingest records the cascades, so that the next ingest sees which changed. A cascade that
may reach a post counts as reaching it: a post published by mistake cannot be called back.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from blog_search_mcp.ingest.posts import ignore_rules
from blog_search_mcp.ingest.posts.metadata import Fields, normalize_names
from blog_search_mcp.ingest.posts.paths import parse_file

Value: TypeAlias = str | dict[str, str]


class Cascade(BaseModel):
    """Fields that one section, bundle, data file or entry of the configuration passes down."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, Value]
    """Values by normalized name, only of fields that decide whether a post is public."""
    folder: str = ""
    """Start of the sources it may reach: `folder/`, `folder/stem.` for a post, `""` for all."""
    is_final: bool = False
    """Whether these fields replace the post's own fields of the same names."""
    target: dict[str, str] = {}
    """Patterns of `path`, `kind` (`part`: in a bundle), `environment`; other keys are ignored."""
    collection: str | None = None
    """Folder of a Jekyll collection (`_posts`); `""` for pages only, `None` for everything."""
    prefix: str = ""
    """Path of the content folder in the site; with a source appended, it is the file's path."""
    root: str = ""
    """Start of paths in the site that Hugo omits from the page's `path`."""


def find_cascades(cascades: Iterable[Cascade], source: str) -> tuple[Cascade, ...]:
    """Return the cascades that reach a post, in their order."""
    return tuple(cascade for cascade in cascades if _reaches(cascade, source))


def apply_cascades(named: Fields, cascades: Sequence[Cascade]) -> Fields:
    """Return fields with the missing (also inner) and final ones of `cascades`, nearest first."""
    named = dict(named)
    for cascade in cascades:
        for name, value in cascade.fields.items():
            nearer = named.get(name)
            if cascade.is_final or name not in named:
                named[name] = value
            elif isinstance(value, dict) and isinstance(nearer, Mapping):
                named[name] = {**value, **normalize_names(nearer)}
    return named


def _reaches(cascade: Cascade, source: str) -> bool:
    *folders, _ = (cascade.prefix + source).split("/")
    collection = next((folder for folder in folders if folder.startswith("_")), "")
    if not source.startswith(cascade.folder) or cascade.collection not in (None, collection):
        return False
    page = parse_file(cascade.prefix + source)
    place = f"{page.page}/".removeprefix(cascade.root)
    path = "/" + place.strip("/").lower().replace(" ", "-")
    kind = "/page" if page.index != "_index" else "/section" if path != "/" else "/home"
    # `hugo` without options builds the published site, in the environment `production`.
    values = {"path": path, "kind": kind, "environment": "/production"}
    if cascade.target.get("kind") == "part":
        return not page.index
    named = cascade.target.keys() & values
    return all(_matches(cascade.target[name].lower(), values[name]) for name in named)


@lru_cache(maxsize=1000)
def _matches(pattern: str, text: str) -> bool:
    """Return whether a Hugo pattern matches a text that begins with `/`; an unclosed `{` does."""
    if (patterns := ignore_rules.expand_braces(pattern)) != [pattern]:
        return any(_matches(each, text) for each in patterns)
    if "{" in pattern:
        return True
    if not pattern.strip("/*"):
        return text == "/" or "*" in pattern
    rules = ignore_rules.compile_rules([f"/{pattern.strip('/').removesuffix('/**')}"])
    is_met = ignore_rules.leaves_out if pattern.endswith("/**") else ignore_rules.decide
    return bool(is_met(rules, text[1:]))
