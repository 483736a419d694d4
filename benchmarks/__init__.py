"""Measurements: how well a blog is searched, and how fast every step is.

    python -m benchmarks.quality CONTENT            your own posts, by kind of query
    python -m benchmarks.quality.dev_blogs CORPORA  several blogs: the numbers in docs/quality.md
    python -m benchmarks.speed                      each step beside its floor: docs/performance.md
    python -m benchmarks.patterns                   which regular expressions a text can freeze
    python -m benchmarks.answers                    whether another version answers the same

Outside the wheel: it imports `ingest`, `index` and `server`, and none of them knows it.
"""
