"""Attacks on regular expressions also repeat the text that a lookahead wants."""

import re

from benchmarks.patterns import Pieces


def test_what_a_pattern_looks_ahead_for_is_repeated_by_lines() -> None:
    pattern = re.compile(r"^let (?=\w+ =)(?:[^\n]*\((?:\n[^)][^\n]*+)*+\n\)|[^\n]*+)", re.MULTILINE)
    units = {unit for lead, unit, _ in Pieces(pattern).list_attacks() if not lead}
    assert any(re.fullmatch(r"let .* =.*\(\n+", unit) for unit in units)
