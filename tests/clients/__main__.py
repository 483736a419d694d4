"""`python -m tests.clients`: runs every real client, prints the table of docs/clients.md."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from blog_search_mcp.index.commands import start_words
from tests.clients.inspector import strict, surface_of
from tests.clients.run import (
    ERAS,
    INSTALLED,
    MISSING,
    WAYS,
    Connection,
    Transport,
    claude_says,
    report,
)
from tests.clients.table import (
    Row,
    claude_row,
    inspector_row,
    library_row,
    strict_row,
    write_table,
)
from tests.support.served import POSTS, indexed, served


def rows(folder: Path) -> Iterator[Row]:
    """Run every client; `folder` takes the index and a home."""
    index = indexed(folder, POSTS)
    arguments = ["--index", str(index)]
    stdio: Connection = {"command": start_words()[0], "args": arguments}
    with served(index) as url:
        connections: dict[Transport, Connection] = {"stdio": stdio, "HTTP": {"url": url}}
        for way in WAYS:
            yield library_row(way, report(way, connections[way.transport]))
        for era in ERAS:
            yield inspector_row(era, surface_of(stdio, era))
        for era in ERAS:
            yield strict_row("HTTP", era, *strict({"url": url}, era))
    extended = {**stdio, "args": [*arguments, "--toolset", "extended"]}
    for era in ERAS:
        yield strict_row("stdio", era, *strict(extended, era))
    home = folder / "home"
    home.mkdir()
    yield claude_row(claude_says(home, index))


def main() -> int:
    """Print the table; returns 1 without the clients."""
    if not INSTALLED:
        sys.stderr.write(f"{MISSING}.\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.writelines(f"{line}\n" for line in write_table(rows(Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
