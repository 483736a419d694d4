"""Measurements: how well a blog is searched, and how fast every step is.

    python -m benchmarks.quality CONTENT…  how well blogs are searched, by kind of query
    python -m benchmarks.speed             how fast each step is, beside its floor
    python -m benchmarks.golden            how well another project's judged queries are answered
    python -m benchmarks.answers           whether another version answers the same
    python -m benchmarks.patterns          which regular expressions a text can freeze

The wheel leaves it out. It imports `ingest`, `index` and `server`, and none of them imports it.
"""
