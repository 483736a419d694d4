"""A post's headings come in; the ids that its generator renders for them go out.

A chunk is linked at the nearest heading at or before its first line. Generators make ids each
in their own way: of the source or of what is shown, with or without what is not ASCII, and
number repeated ones. An id that is not sure is `""`: the link then names the post alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from index.types import Chunk
from ingest import heading_ids
from ingest.anchor_rules import Anchors, Maker
from ingest.blocks import LONGEST_HEADING
from ingest.headings import Heading, headings
from ingest.slugs import readable


def with_anchors(
    chunks: Sequence[Chunk], body: str, first_line: int, how: Anchors
) -> tuple[Chunk, ...]:
    """Give each chunk the anchor of its heading; `body` begins on the file's `first_line`."""
    found = anchors(body, how)
    lines = [first_line + line for line, _ in found]
    ids = ["", *(anchor for _, anchor in found)]
    return tuple(
        replace(chunk, anchor=ids[bisect_right(lines, chunk.first_line)]) for chunk in chunks
    )


def anchors(body: str, how: Anchors) -> list[tuple[int, str]]:
    """The body's own headings: the line of each, from 0, and its id as it stands behind `#`.

    A heading too long to be one (`ingest.blocks`) has none, since every link would carry it.
    """
    if not how.maker:
        return []
    found = [heading for heading in headings(body) if _counts(heading, how)]
    ids = list(_MAKERS[how.maker](found, how))
    return [
        (heading.line, _written(heading_id) if len(heading.source) <= LONGEST_HEADING else "")
        for heading, heading_id in zip(found, ids, strict=True)
        if heading.is_top
    ]


def _written(heading_id: str) -> str:
    return readable(heading_id.replace("%", "%25"))


def _counts(heading: Heading, how: Anchors) -> bool:
    if how.maker not in ("gfm", "kramdown"):
        return True
    return heading_ids.is_kramdown_heading(heading, gfm=how.maker == "gfm")


def _of_goldmark(found: Sequence[Heading], _: Anchors) -> Iterator[str]:
    taken: set[str] = set()
    last: Counter[str] = Counter()
    for heading in found:
        written, source = heading_ids.goldmark_written_id(heading.source)
        slug = None if written else heading_ids.goldmark_id(heading, source)
        chosen = written or (_free(slug, taken, last) if slug else "")
        taken.add(chosen)
        yield chosen


def _of_kramdown(found: Sequence[Heading], how: Anchors) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for heading in found:
        written, source = heading_ids.kramdown_written_id(heading)
        if written is not None:
            yield written
        elif how.maker == "gfm":
            yield _counted(heading_ids.gfm_id(heading), seen)
        else:
            yield _counted(heading_ids.kramdown_id(source), seen)


def _of_marked(found: Sequence[Heading], how: Anchors) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for heading in found:
        slug = heading_ids.marked_id(heading, smart=how.smart, lower=how.lower)
        yield _counted(slug, seen)


def _of_zola(found: Sequence[Heading], how: Anchors) -> Iterator[str]:
    """Zola gives way to every id an author wrote, also to one further down."""
    split = [heading_ids.zola_written_id(heading.source) for heading in found]
    taken = {written for written, _ in split if written}
    last: Counter[str] = Counter()
    spelled = how.maker == "zola"
    for heading, (written, source) in zip(found, split, strict=True):
        slug = heading_ids.zola_id(heading, source, spelled=spelled, smart=how.smart)
        if written or slug is None:
            yield written
            continue
        free = _free(slug, taken, last)
        taken.add(free)
        yield free


_MAKERS: dict[Maker, Callable[[Sequence[Heading], Anchors], Iterator[str]]] = {
    "goldmark": _of_goldmark,
    "gfm": _of_kramdown,
    "kramdown": _of_kramdown,
    "marked": _of_marked,
    "zola": _of_zola,
    "zola-safe": _of_zola,
}


def _counted(slug: str | None, seen: Counter[str]) -> str:
    """Number the second of equal ids `-1`, whether or not another heading is called so."""
    if slug is None:
        return ""
    seen[slug] += 1
    return f"{slug}-{seen[slug] - 1}" if seen[slug] > 1 else slug


def _free(slug: str, taken: set[str], last: Counter[str]) -> str:
    """Number an id that is taken: `-1`, `-2` and so on, from the `last` one given on."""
    free = f"{slug}-{last[slug]}" if last[slug] else slug
    while free in taken:
        last[slug] += 1
        free = f"{slug}-{last[slug]}"
    return free
