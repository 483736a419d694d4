"""Whether two runs printed the same: two texts come in, yes or no goes out.

Words must be equal. Times and sizes may differ, and so may what another processor computes a
little otherwise; what a page shows of them is what one run printed.
"""

from __future__ import annotations

import re

SCORE = 0.02
"""How far two scores or cosines may lie apart."""
COUNT = 0.01
"""The same for counts above a thousand, as a share: a score has a digit more or less."""

_PASSING = [
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"(?:less than a minute|\b\d+ (?:second|minute)s?)(?= ago)",
        r"\b\d+\.\d(?= (?:s|MB)\b)",
        r'(?<="time":")[^"]+',
        r'(?<="ms":)\d+',
        r'(?<="session":")[0-9a-f]+',
        r" +[\d,]+(?= ms\b)",
        r"\b\d{4}-\d\d-\d\d(?= to )|(?<= to )\d{4}-\d\d-\d\d(?=\.$)",
        r"^(?P<kept>\w[\w ]*? +[\d,]+ +[\d,]+) +[\d,]+ +[\d,]+$",
    )
]
"""Ages, seconds, megabytes; times and sessions in a usage log; the sizes of answers."""
_NUMBER = re.compile(r"(-?\d+\.\d{2,}|\d{1,3}(?:,\d{3})+)")


def alike(one: str, other: str) -> bool:
    """Whether both say the same."""
    ones, others = _NUMBER.split(_lasting(one)), _NUMBER.split(_lasting(other))
    return ones[::2] == others[::2] and all(map(_near, ones[1::2], others[1::2]))


def _lasting(text: str) -> str:
    for pattern in _PASSING:
        text = pattern.sub(lambda found: found.groupdict().get("kept", ""), text)
    return text


def _near(one: str, other: str) -> bool:
    first, second = (float(number.replace(",", "")) for number in (one, other))
    return abs(first - second) <= (SCORE if "." in one + other else COUNT * max(first, second))
