"""What `--permalink` says comes in; a generator, its rules and a pattern go out."""

from __future__ import annotations

from dataclasses import replace

from index.errors import UsageError
from ingest.anchor_rules import Anchors
from ingest.hexo import Hexo
from ingest.hugo import Hugo
from ingest.jekyll import STYLES, Jekyll
from ingest.site import Rules
from ingest.zola import Zola

PRESETS: dict[str, tuple[Rules, Anchors]] = {
    "hugo": (Hugo(), Anchors("goldmark")),
    "jekyll": (Jekyll(), Anchors("gfm")),
    "hexo": (Hexo(), Anchors("marked")),
    "zola": (Zola(), Anchors("zola")),
}
"""Each generator as it is without configuration."""

PLAIN: tuple[Rules, Anchors] = (Hugo(dated_names=True, titles=False), Anchors("goldmark"))
"""A pattern of no known generator: Hugo's tokens, but files with a day in their names have it
as their date and `:slug` is the file's name where the post has none."""


def read_permalink(permalink: str) -> tuple[str, str]:
    """Split it into a generator's name and a pattern; each may be `""`. Raises UsageError."""
    name, colon, pattern = permalink.partition(":")
    if name in PRESETS:
        return name, pattern
    if permalink in STYLES:
        return "jekyll", permalink
    if permalink and not (colon or "/" in permalink):
        raise UsageError(
            f"--permalink {permalink} is neither a generator ({', '.join(PRESETS)}) nor a pattern."
        )
    return "", permalink


def with_pattern(rules: Rules, pattern: str) -> Rules:
    """The rules with this pattern for every post. Raises UsageError if they have none."""
    match rules:
        case Hugo():
            return replace(rules, patterns=(("*", pattern),))
        case Jekyll():
            return replace(rules, permalink=pattern, patterns=())
        case Hexo():
            return replace(rules, permalink=pattern)
        case Zola():
            raise UsageError("Zola has no permalink patterns; give --permalink zola alone.")
