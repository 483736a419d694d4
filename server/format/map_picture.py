"""Draw the map of a blog and its posts by year, as trees of SVG elements.

The search page makes elements of a tree, as of a rendered passage, and a file is written from the
same one, so that there is one picture. Colours and sizes of type are in `server/http/page/map.css`:
the page's policy allows no style inside a document.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np

from blog_search_mcp.index.relations.subjects import BlogMap
from blog_search_mcp.index.types import Post
from blog_search_mcp.server.format.results import count_columns, one_line, shorten
from blog_search_mcp.server.library.prefixes import with_name

Node = list[Any]
"""A name, attributes and children, each of them a node or text."""
Href = Callable[[Post], str | None]

WIDTH = 960
MARGIN = 36
LABEL = 26
"""Columns of a line of a label at most."""
LINE = 16
"""Height of a label's line."""
COLUMN = 7.4
"""Width of a column of a label's type; a little more than most fonts take."""
NEAR = 0.05
"""Radius, as a share of the map, in which the posts around a label's place are counted."""
APART = 1.6
"""Distance of dots, in radii, that is held where many posts are alike."""
PUSHES = 30
"""Rounds at most: enough for 3,441 dots, of which 2,857 lay nearer."""
GOLDEN = math.pi * (3 - math.sqrt(5))
BARS = 180
"""Height of the tallest bar."""
AXIS = 34
"""Room left of the bars for the numbers."""
LEGEND = 3
"""Subjects in a row of the legend."""
NAMED = 38
"""Columns of a subject's name there: with its number of posts a third of WIDTH in most fonts."""
WIDEST = 110
"""Room that a year takes at most."""
YEARS = 16
"""That are named below the bars; of more every second, third … is."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw_map(blog: BlogMap, href: Href) -> Node:
    """Draw a dot for each post, coloured and labelled by subject; a dot leads to `href`."""
    across, down = blog.places.T if len(blog.posts) else np.zeros((2, 1))
    size = WIDTH - 2 * MARGIN
    x = MARGIN + size * (across - across.min()) / max(float(np.ptp(across)), 1e-9)
    scale = size / max(float(np.ptp(across)), 1e-9)
    y = MARGIN + scale * (down - down.min())
    height = round(float(y.max())) + MARGIN
    radius = round(max(2.4, min(6.0, 110 / math.sqrt(max(len(blog.posts), 1)))), 1)
    places = np.stack([x, y], axis=1)
    at = _spread(places[: len(blog.posts)], APART * radius)
    dots = [
        _dot(post, subject, (round(float(left), 1), round(float(top), 1)), radius, href(post))
        for post, subject, (left, top) in zip(blog.posts, blog.subjects, at, strict=True)
    ]
    labels = list(_labels(blog, places, height))
    title = f"Map of {len(blog.posts):,} posts by meaning"
    about = "Posts that are alike lie side by side. Subjects: " + "; ".join(
        f"{name}, {count}" for name, count in count_by_subject(blog).items()
    )
    return _svg(height, title, about, ["g", {"class": "dots"}, *dots], ["g", {}, *labels])


def _spread(at: Any, apart: float) -> Any:
    """Push dots that lie on each other apart, those of one place in all directions."""
    at = np.array(at, dtype=np.float64)
    turns = np.arange(len(at)) * GOLDEN
    for _ in range(PUSHES):
        order = np.lexsort((at[:, 1], at[:, 0]))
        across = at[order]
        shift = np.zeros_like(across)
        for step in range(1, len(at)):
            gap = across[step:] - across[:-step]
            if gap[:, 0].min() >= apart:
                break
            length = np.hypot(*gap.T)
            turn = turns[order[step:]]
            ways = np.where(
                length[:, None] > 1e-6,
                gap / np.maximum(length, 1e-6)[:, None],
                np.stack([np.cos(turn), np.sin(turn)], axis=1),
            )
            push = np.maximum(apart - length, 0)[:, None] / 2 * ways
            shift[step:] += push
            shift[:-step] -= push
        if not shift.any():
            break
        far = np.hypot(*shift.T)[:, None]
        at[order] += shift * np.minimum(1.0, apart / 4 / np.maximum(far, 1e-9))
    return at


def draw_years(blog: BlogMap) -> Node | None:
    """Draw a bar for each year, stacked by subject; `None` if no post has a date."""
    years = count_by_year(blog)
    if not years:
        return None
    most = max(map(sum, years.values()))
    step = min((WIDTH - MARGIN - AXIS) / len(years), WIDEST)
    bottom = 16 + BARS
    bars: list[Node] = []
    for place, (year, counts) in enumerate(years.items()):
        left, top = AXIS + place * step, float(bottom)
        for subject, count in enumerate(counts):
            if not count:
                continue
            tall = BARS * count / most
            top -= tall
            shape = _rounded(x=left + step * 0.12, y=top, width=step * 0.76, height=tall)
            told = f"{year}: {count} on {blog.names[subject] or 'other subjects'}"
            bars.append(["rect", {**shape, "class": f"s{subject}"}, ["title", {}, told]])
        if place % -(-len(years) // YEARS) == 0:
            at = {"x": f"{left + step / 2:.1f}", "y": str(bottom + 18), "class": "axis middle"}
            bars.append(["text", at, year])
    lines: list[Node] = []
    for value in _round_values(most):
        y = f"{bottom - BARS * value / most:.1f}"
        line = {"x1": str(AXIS), "x2": str(WIDTH - MARGIN), "y1": y, "y2": y, "class": "grid"}
        number = {"x": str(AXIS - 8), "y": y, "dy": "4", "class": "axis end"}
        lines += [["line", line], ["text", number, f"{value:,}"]]
    about = "; ".join(f"{year}: {sum(counts)}" for year, counts in years.items())
    legend = [_legend(blog, bottom + 48), *lines, *bars]
    rows = -(-len(blog.names) // LEGEND)
    return _svg(bottom + 54 + 22 * rows, "Posts by year and subject", about, *legend)


def _legend(blog: BlogMap, top: int) -> Node:
    """Name the colours, LEGEND of them in a row."""
    entries: list[Node] = []
    for place, (name, count) in enumerate(count_by_subject(blog).items()):
        x = AXIS + place % LEGEND * (WIDTH - AXIS) // LEGEND
        y = top + place // LEGEND * 22
        box = {"x": str(x), "y": str(y - 10), "width": "11", "height": "11", "rx": "2"}
        words = {"x": str(x + 18), "y": str(y), "class": "axis"}
        entries.append(["rect", {**box, "class": f"s{place}"}])
        entries.append(["text", words, f"{shorten(name, NAMED)} ({count:,})"])
    return ["g", {"class": "legend", "aria-hidden": "true"}, *entries]


def count_by_subject(blog: BlogMap) -> dict[str, int]:
    """Count the posts of each subject, in the subjects' order."""
    counts = Counter(blog.subjects)
    return {name or f"subject {place + 1}": counts[place] for place, name in enumerate(blog.names)}


def count_by_year(blog: BlogMap) -> dict[str, list[int]]:
    """Count the posts of each year by subject, from the first year to the last without gaps."""
    dated = [
        (int(post.date[:4]), subject)
        for post, subject in zip(blog.posts, blog.subjects, strict=True)
        if post.date
    ]
    if not dated:
        return {}
    years = [year for year, _ in dated]
    counts = Counter(dated)
    return {
        str(year): [counts[year, subject] for subject in range(len(blog.names))]
        for year in range(min(years), max(years) + 1)
    }


def map_facts(name: str, blog: BlogMap) -> dict[str, Any]:
    """Draw both pictures for the search page; `name` is the blog's, `""` if it is the only one."""

    def href(post: Post) -> str:
        return "/?" + urlencode({"source": with_name(name, post.source), "chunk": "0"})

    return {
        "blog": name,
        "map": draw_map(blog, href),
        "years": draw_years(blog),
        "subjects": list(count_by_subject(blog).items()),
        "counts": list(count_by_year(blog).items()),
        "missing": blog.missing,
    }


def write_svg(pictures: Sequence[Node], style: str) -> str:
    """Write pictures one below the other as one SVG file, with its style inside."""
    heights = [int(picture[1]["viewBox"].split()[3]) for picture in pictures]
    box = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {sum(heights)}"}
    root = ElementTree.Element("svg", {**box, "width": str(WIDTH), "height": str(sum(heights))})
    ElementTree.SubElement(root, "style").text = style
    shape = {"width": str(WIDTH), "height": str(sum(heights)), "class": "paper"}
    ElementTree.SubElement(root, "rect", shape)
    top = 0
    for picture, height in zip(pictures, heights, strict=True):
        name, facts, *children = picture
        place = {"y": str(top), "width": str(WIDTH), "height": str(height)}
        root.append(_element([name, {**facts, **place}, *children]))
        top += height
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _element(node: Node) -> ElementTree.Element:
    name, facts, *children = node
    made = ElementTree.Element(name, {key: _NO_XML.sub("", text) for key, text in facts.items()})
    for child in children:
        if isinstance(child, str):
            made.text = _NO_XML.sub("", child)
        else:
            made.append(_element(child))
    return made


def _svg(height: int, title: str, about: str, *children: Node) -> Node:
    facts = {"viewBox": f"0 0 {WIDTH} {height}", "role": "group", "aria-label": title}
    return ["svg", facts, ["title", {}, title], ["desc", {}, about], *children]


def _dot(
    post: Post, subject: int, at: tuple[float, float], radius: float, href: str | None
) -> Node:
    told = " · ".join(filter(None, (one_line(post.title), post.date)))
    facts = {"cx": str(at[0]), "cy": str(at[1]), "r": str(radius)}
    link = {"class": f"s{subject}", **({"href": href} if href else {})}
    return ["a", link, ["title", {}, told], ["circle", facts]]


def _labels(blog: BlogMap, at: Any, height: int) -> Iterator[Node]:
    """Place the subjects' names where most of their posts are, apart from each other."""
    taken: list[tuple[float, float, float, float]] = []
    groups = np.array(blog.subjects)
    for subject, name in enumerate(blog.names):
        own = at[groups == subject]
        if not name or not len(own):
            continue
        near = [(np.linalg.norm(own - each, axis=1) < NEAR * WIDTH).sum() for each in own]
        x, y = own[np.argmax(near)]
        first, _, others = name.partition(" · ")
        lines = [shorten(line, LABEL) for line in (first, others) if line]
        half = COLUMN * max(map(count_columns, lines)) / 2
        tall = LINE * len(lines)
        left = min(max(float(x), half + 4), WIDTH - half - 4)
        free = next(
            (
                box
                for shift in _shifts(height)
                if (box := (left - half, y + shift - tall / 2, left + half, y + shift + tall / 2))
                and box[1] > 2
                and box[3] < height - 2
                and not any(_overlap(box, other) for other in taken)
            ),
            None,
        )
        if free is None:
            continue
        taken.append(free)
        for place, line in enumerate(lines):
            top = f"{free[1] + LINE * (place + 0.8):.1f}"
            kind = "label more" if place else "label"
            yield ["text", {"x": f"{left:.1f}", "y": top, "class": f"{kind} t{subject}"}, line]


def _shifts(height: int) -> Iterator[float]:
    yield 0.0
    for step in range(1, height // LINE):
        yield from (step * LINE, -step * LINE)


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _rounded(**numbers: float) -> Mapping[str, str]:
    return {name: f"{number:.1f}" for name, number in numbers.items()}


def _round_values(most: int) -> list[int]:
    """Return two to four round numbers up to `most`, from 0."""
    step = next(
        size
        for power in range(9)
        for size in (10**power, 2 * 10**power, 5 * 10**power)
        if most < 4 * size
    )
    return list(range(0, most + 1, step))
