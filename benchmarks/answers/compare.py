"""Compare two files of answers: whether they are equal, or have no worse ranks."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.metrics import READ, gain, rank_of

MEASURED = ("question", "title", "heading")
"""Kinds of queries whose measures must not get worse."""
CHANGE_LEAST = -0.02
"""Lower limit of the 95 % interval of a change over all blogs; for links, of the change itself."""
LOST_MOST = 2
"""Maximum net loss of hit@1, as a number of queries per blog and kind."""
KEPT_LEAST = 0.98
"""Minimum share of the addresses, and of the anchors, that must stay."""
RESAMPLES, SEED = 2000, 20261120

View = dict[Any, Any]
Rows = NDArray[np.float64]
"""One row per query. Columns 0 to 2: equal, same order, other confidence. Columns 3 to 6 before and
7 to 10 after: hit@1, hit@5, nDCG@10, low confidence (for answerable queries, only if found)."""


def compare(old: Path, new: Path, show: int, *, by_rank: bool) -> int:
    """Print the differences of the answers; return 1 if they break the rule, else 0."""
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    broken = [f"{name}: in one file alone" for name in sorted(before.keys() ^ after.keys())]
    rows: dict[str, dict[str, Rows]] = defaultdict(dict)
    say("blog: answers", "equal", "changed", "lost", "new")
    for name in sorted(before.keys() & after.keys()):
        views = view(before[name]), view(after[name])
        for what in views[0]:
            counts = count(f"{name}: {what}", views[0][what], views[1][what], show)
            if differ(what, *counts, by_rank=by_rank):
                broken.append(f"{name}: {what}")
        for kind, array in measure(before[name], after[name]).items():
            rows[kind][name] = array
    say("queries", "number", "equal", "order", "confidence", "hit@1", "hit@5", "nDCG@10", "low")
    for kind, blogs in rows.items():
        blogs["all"] = np.vstack(list(blogs.values()))
        worse = [judge(kind, name, array) for name, array in blogs.items()]
        broken += filter(None, worse if by_rank else ())
    sys.stdout.write("".join(f"{line}\n" for line in broken or ["The rule holds."]))
    return int(bool(broken))


def say(*cells: object) -> None:
    """Print a row of a table."""
    sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")


def view(answers: Any) -> dict[str, View]:
    """Return the compared parts of the answers: by name of the part, then by key of its item."""
    posts = answers["posts"]
    chunks = [(source, *chunk) for source, (*_, chunks) in posts.items() for chunk in chunks]
    anchors = defaultdict(set)
    for source, headings, anchor, *_ in chunks:
        anchors[source, *headings].add(anchor)
    return {
        "posts": {source: facts for source, (_, *facts, _) in posts.items()},
        "addresses": {source: url for source, (url, *_) in posts.items() if url},
        "anchors": {key: names for key, names in anchors.items() if names != {""}},
        "chunks": {(source, text): facts for source, *facts, text in chunks},
        "replies": answers["replies"],
        "queries": {
            (each["kind"], each["query"]): (each["confidence"], each["hits"][:READ])
            for each in answers["queries"]
        },
    }


def count(name: str, before: View, after: View, show: int) -> tuple[int, int, int, int]:
    """Count equal, changed, lost and new items; print the counts and `show` differences."""
    both = before.keys() & after.keys()
    changed = [key for key in before if key in both and before[key] != after[key]]
    counts = len(both) - len(changed), len(changed), len(before) - len(both), len(after) - len(both)
    say(name, *counts)
    for key in islice([*changed, *(before.keys() ^ after.keys())], show):
        old, new = (str(each.get(key)) for each in (before, after))
        start = len(commonprefix([old, new]))  # noqa: RUF071 - texts, not paths
        part = slice(max(0, start - 80), start + 200)
        sys.stdout.write(f"  {str(key)[:200]}\n  - {old[part]}\n  + {new[part]}\n")
    return counts


def differ(what: str, equal: int, changed: int, lost: int, new: int, *, by_rank: bool) -> bool:
    """Whether these counts break the rule; if `by_rank`, only those of addresses and anchors."""
    if not by_rank:
        return bool(changed or lost or new)
    is_wrong = changed or equal < KEPT_LEAST * (equal + lost) or (what == "addresses" and new)
    return what in ("addresses", "anchors") and bool(is_wrong)


def measure(before: Any, after: Any) -> dict[str, Rows]:
    """Return Rows by kind, for the queries that both files have."""
    asked = {(each["kind"], each["query"]): each for each in after["queries"]}
    rows = defaultdict(list)
    for old in before["queries"]:
        if new := asked.get((old["kind"], old["query"])):
            hits = [each["hits"][:READ] for each in (old, new)]
            orders = [[hit[:2] for hit in each] for each in hits]
            same = hits[0] == hits[1], orders[0] == orders[1]
            figures = [*rate(old, old["right"]), *rate(new, old["right"])]
            rows[old["kind"]].append([*same, old["confidence"] != new["confidence"], *figures])
    return {kind: np.array(each, float) for kind, each in rows.items()}


def rate(answer: Any, right: list[str]) -> tuple[float, ...]:
    """Return hit@1, hit@5, nDCG@10 and low of one answer, by its first right post's rank."""
    sources = dict.fromkeys(hit[0] for hit in answer["hits"])
    rank = rank_of(right, sources)
    is_low = answer["confidence"] == "low" and (rank <= READ or not right)
    return rank <= 1, rank <= READ, gain(rank), is_low


def judge(kind: str, name: str, rows: Rows) -> str:
    """Print the measures with intervals of their changes; return a sentence if they got worse."""
    number, before, after = len(rows), rows[:, 3:7], rows[:, 7:]
    drawn = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), RESAMPLES)
    low, high = np.percentile(drawn @ (after - before) / number, (2.5, 97.5), axis=0)
    figures = zip(before.mean(axis=0), after.mean(axis=0), low, high, strict=True)
    cells = [f"{a:.3f} → {b:.3f} [{c:+.3f}, {d:+.3f}]" for a, b, c, d in figures]
    say(f"{kind}, {name}", number, *rows[:, :3].sum(axis=0).astype(int), *cells)
    first, _, _, doubt = (after - before).sum(axis=0)
    if name != "all":
        is_worse = kind in MEASURED and first < -LOST_MOST
    elif kind in MEASURED:
        is_worse = min(low[0], low[2]) <= CHANGE_LEAST or doubt > 0
    else:
        is_worse = kind == "link" and first < CHANGE_LEAST * number
    return f"{kind}, {name}: worse" if is_worse else ""
