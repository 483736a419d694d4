"""`python -m tests.conformance FOLDER`: run the suite that npm installed there.

Prints which scenarios passed; the status is 1 if anything else failed than what is expected.
"""

import sys
import tempfile
from pathlib import Path

from tests.conformance.suite import NoSuite, run
from tests.support.served import indexed, served

POSTS = {"soup.md": "# Soup\n\nBoil an onion.\n"}


def main() -> int:
    """Run it; returns the exit status."""
    with tempfile.TemporaryDirectory() as folder, served(indexed(Path(folder), POSTS)) as url:
        try:
            outcome = run(Path(sys.argv[1]).resolve(), url, Path(folder) / "results")
        except NoSuite as error:
            sys.stderr.write(f"{error}\n")
            return 2
    sys.stdout.write(f"conformance: {', '.join(sorted(outcome.passed))} passed.\n")
    if not outcome.as_expected:
        sys.stderr.write(outcome.output)
    return 0 if outcome.as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
