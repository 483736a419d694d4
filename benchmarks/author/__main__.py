"""`python -m benchmarks.author NAME INDEX...`: run one of the measurements of this folder."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.options import WRONG_USAGE


def main() -> int:
    """Run the measurement that is named first; returns the exit status."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    if sys.argv[1:2] and sys.argv[1] in known:
        status: int = import_module(f"benchmarks.author.{sys.argv[1]}").main(sys.argv[2:])
        return status
    sys.stderr.write(f"usage: python -m benchmarks.author {{{','.join(known)}}} INDEX...\n")
    return WRONG_USAGE


if __name__ == "__main__":
    sys.exit(main())
