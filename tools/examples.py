"""`python -m tools.examples`: run the worked examples of the pages and write them anew.

What a page shows is what its commands and requests print today: a test runs them too, and
fails where a page says something else. An example is written anew only if it differs by more
than times and sizes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.example_answers import outputs_of
from tools.example_blocks import Example, examples_in, with_outputs
from tools.likeness import alike
from tools.sandbox import ROOT, Sandbox

PAGES = (
    "README.md",
    *("docs/quick-start.md", "docs/examples.md", "docs/tools.md"),
    "docs/how-search-works.md",
)


def outdated(page: str, sandbox: Sandbox) -> list[tuple[Example, str]]:
    """Run a page's examples; returns those that print something else, with what they print."""
    examples = list(examples_in(page))
    ran = zip(examples, outputs_of(examples, sandbox), strict=True)
    return [(example, said) for example, said in ran if not alike(example.printed, said)]


def main() -> int:
    """Write the pages anew that need it; returns the exit status."""
    with TemporaryDirectory() as folder:
        sandbox = Sandbox(Path(folder))
        for name in sys.argv[1:] or PAGES:
            _renew(ROOT / name, sandbox)
    return 0


def _renew(path: Path, sandbox: Sandbox) -> None:
    page = path.read_text(encoding="utf-8")
    found = outdated(page, sandbox)
    if found:
        path.write_text(with_outputs(page, found), encoding="utf-8")
    sys.stdout.write(f"{path.name}: {len(found)} written anew.\n")


if __name__ == "__main__":
    sys.exit(main())
