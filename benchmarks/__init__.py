"""Benchmarks of quality and speed.

    python -m benchmarks.quality CONTENT…  quality of search by kind of query
    python -m benchmarks.speed             time and memory of each step, beside its floor
    python -m benchmarks.golden            quality on judged questions, also of other programs
    python -m benchmarks.answers           differences between the answers of two versions
    python -m benchmarks.patterns          regular expressions that a text can freeze

The wheel lacks this package. It imports `ingest`, `index` and `server`; none of them imports it.
"""
