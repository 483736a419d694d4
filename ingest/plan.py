"""What an ingest has to do: two views of the posts in, the difference out.

A pure function of hashes, so that every case is a line in a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Sources by what happens to them; each tuple sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    same: tuple[str, ...]

    @property
    def changes_nothing(self) -> bool:
        """Whether the index is already what it should be."""
        return not (self.added or self.changed or self.removed)


def plan(before: Mapping[str, str], after: Mapping[str, str]) -> Plan:
    """Compare the digests, by source, of the indexed posts with those that should be."""
    both = before.keys() & after.keys()
    return Plan(
        added=tuple(sorted(after.keys() - both)),
        changed=tuple(sorted(source for source in both if before[source] != after[source])),
        removed=tuple(sorted(before.keys() - both)),
        same=tuple(sorted(source for source in both if before[source] == after[source])),
    )
