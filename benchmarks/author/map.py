"""How much of what lies near in meaning lies near on the map, and what the map costs.

Kept is the share of each post's ten nearest by meaning that are among its ten nearest on the map;
beside it stand what principal components alone keep, and chance. Trustworthiness is Venna and
Kaski's: 1 less a penalty for those among the ten nearest on the map that are far in meaning, by
their rank. For the time, the posts are repeated with a little noise.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.author._blogs import open_reader, say_command
from benchmarks.options import count, folder, report_failure
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.relations.layout import find_nearest, lay_out
from blog_search_mcp.index.types import Ids, Vectors

NEAREST = 10
LARGE = 3_500
"""Posts that the time is measured for."""
NOISE = 0.03
"""Standard deviation, in each dimension, of what tells a repeated post from its original."""
_TIME = """
import sys, time, tracemalloc
import numpy as np
from blog_search_mcp.index.relations.layout import lay_out
from blog_search_mcp.index.relations.subjects import count_subjects, part
rows = np.load(sys.argv[1])
begun, processor = time.perf_counter(), time.process_time()
lay_out(rows), part(rows, count_subjects(len(rows)))
took, processor = time.perf_counter() - begun, time.process_time() - processor
tracemalloc.start()
lay_out(rows)
peak = tracemalloc.get_traced_memory()[1] / 2**20
print(f"{len(rows):,} posts laid out and parted in {took:.1f} s ({processor:.1f} s of one "
      f"processor), {peak:.0f} MB beside their vectors")
"""


def main(arguments: Sequence[str]) -> int:
    """Measure each index, then the time; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.author map")
    parser.add_argument("indexes", nargs="+", type=folder, metavar="INDEX")
    parser.add_argument("--posts", type=count, default=LARGE, help=f"for the time ({LARGE})")
    options = parser.parse_args(arguments)
    say_command("map", arguments)
    try:
        rows = [read_rows(index) for index in options.indexes]
    except BlogSearchError as error:
        return report_failure(error)
    sys.stdout.write(f"{'':<20}{'posts':>7}{'kept':>8}{'by PCA':>8}{'chance':>8}{'trust':>8}\n")
    for index, each in zip(options.indexes, rows, strict=True):
        places, chance = lay_out(each), NEAREST / (len(each) - 1)
        flat = measure_kept(each, project(each))
        cells = (measure_kept(each, places), flat, chance, measure_trust(each, places))
        figures = "".join(f"{cell:>8.3f}" for cell in cells)
        sys.stdout.write(f"{index.name:<20}{len(each):>7,}{figures}\n")
    sys.stdout.write(measure_time(rows, options.posts))
    return 0


def read_rows(path: Path) -> Vectors:
    """Read the directions of an index's posts. Raises BlogSearchError."""
    return np.array(open_reader(path).corpora()[""].post_vectors.rows)


def project(rows: Vectors) -> Vectors:
    """Project onto the two principal components."""
    centred = rows - rows.mean(axis=0)
    found: Vectors = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -2:]
    return found


def order_by_distance(places: Vectors) -> Ids:
    """Order by each place all others, nearest first."""
    squares = (places * places).sum(axis=1)
    distances = squares[:, np.newaxis] + squares - 2 * places @ places.T
    np.fill_diagonal(distances, np.inf)
    order: Ids = distances.argsort(axis=1, kind="stable")
    return order[:, :-1]


def measure_kept(rows: Vectors, places: Vectors) -> float:
    """Return the share of the nearest by meaning that are among the nearest on the map."""
    shown = order_by_distance(places)[:, :NEAREST]
    nearest = find_nearest(rows, NEAREST)
    return float(
        np.mean([np.isin(one, other).mean() for one, other in zip(nearest, shown, strict=True)])
    )


def measure_trust(rows: Vectors, places: Vectors) -> float:
    """Return the trustworthiness of the nearest on the map, in [0, 1]."""
    size = len(rows)
    ranks = np.empty((size, size), dtype=np.int64)
    np.put_along_axis(ranks, order_by_distance(rows), np.arange(1, size), axis=1)
    shown = np.take_along_axis(ranks, order_by_distance(places)[:, :NEAREST], axis=1)
    worst = size * NEAREST * (2 * size - 3 * NEAREST - 1) / 2
    return float(1 - np.maximum(shown - NEAREST, 0).sum() / worst)


def measure_time(rows: Sequence[Vectors], posts: int) -> str:
    """Lay out so many posts in a process of its own and return what that took."""
    from tempfile import TemporaryDirectory

    order = np.random.default_rng(1)
    largest = max(rows, key=len)
    repeated = np.vstack([largest] * -(-posts // len(largest)))[:posts]
    noisy = repeated + order.normal(0, NOISE, repeated.shape).astype(np.float32)
    noisy /= np.linalg.norm(noisy, axis=1, keepdims=True)
    with TemporaryDirectory() as place:
        path = Path(place, "rows.npy")
        np.save(path, noisy)
        command = [sys.executable, "-c", _TIME, str(path)]
        one = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        ran = subprocess.run(command, check=True, capture_output=True, text=True, env=one)
        return ran.stdout
