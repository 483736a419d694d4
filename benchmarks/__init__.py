"""How well a blog is searched, measured: `content → queries → answers → outcomes → table`.

    python -m benchmarks.quality CONTENT        each kind of query by each leg, with intervals
    python -m benchmarks.known_items CONTENT FILE   over the real server, beside a plain floor
    python -m benchmarks.dev_blogs CORPORA      several blogs: the numbers in docs/quality.md
    python -m benchmarks.why QUESTION           what one question's first posts score by

Outside the wheel, and above everything else: it imports `ingest`, `index` and
`server`, and none of them knows it. Queries are made of the author's own posts
or read from a file; what a description query is made of is left out of the
index, or the answer would lie in it word for word.
"""
