"""What may differ between two runs of an example, and what may not."""

from __future__ import annotations

import pytest

from tools.likeness import alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("score 0.443", "score 0.449"),
        ('"score": 0.44,', '"score": 0.4437,'),
        ("cosine -0.05", "cosine -0.04"),
        ("made less than a minute ago", "made 3 minutes ago"),
        ("; 0.4 s. Embedder", "; 12.9 s. Embedder"),
        ("62 chunks, 1.4 MB, made", "62 chunks, 1.5 MB, made"),
        ("1,429  554", "1,430  554"),
        ('{"time":"2026-01-02T03:04:05Z","ms":7}', '{"time":"2027-05-06T07:08:09Z","ms":12}'),
        ("search_blog   3  0   12    40", "search_blog   3  0    9     9"),
        ("        12 ms  search_blog", "         9 ms  search_blog"),
        ("in all   2,261   566   2,009   831", "in all   2,261   566   1,998   827"),
        ("3 calls from 2026-01-02 to 2026-01-02.", "3 calls from 2027-01-02 to 2027-01-02."),
    ],
)
def test_what_passes_or_is_computed_may_differ(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Confidence: high", "Confidence: low"),
        ("score 0.443", "score 0.493"),
        ("a.md chunk 1", "a.md chunk 2"),
        ("22 posts", "23 posts"),
        ("1,429 tokens", "1,529 tokens"),
        ("lines 8-38", "lines 8-39"),
        ('"date": "2024-10-20"', '"date": "2024-10-21"'),
        ("search_blog 3 0 12 40", "search_blog 4 0 12 40"),
        ("in all   2,261   566   2,009   831", "in all   2,261   567   2,009   831"),
        ("one line", "one line\nand another"),
    ],
)
def test_words_places_and_counts_may_not(one: str, other: str) -> None:
    assert not alike(one, other)
