"""What breaks, broken on purpose: a fault in, what the reader saw and what was lost out.

    python -m benchmarks.chaos [GROUP ...] [--blog CONTENT] [--nasty DIR] [--write FILE]

A group is one module of `benchmarks.chaos.groups` with one function, `faults`; the
groups together are the table in docs/reliability.md.
"""
