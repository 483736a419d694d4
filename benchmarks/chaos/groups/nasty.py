"""Every hard input at once: one ingest of the whole folder, and what became of each file.

The ingest is the real command with the embedded model, in a process of its own. Without
`--nasty DIR` there is nothing to do and no row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.blog import Embedding, open_index
from benchmarks.chaos.accounts import Account, accounts
from benchmarks.chaos.encodings import readings
from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.one_run import SECRET, Run, ingest_once
from benchmarks.chaos.pages import Page, pages
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.reader import Reader
from blog_search_mcp.server.tools.arguments import encodable
from blog_search_mcp.server.tools.search_blog import search_blog

MADE = "one ingest of the whole folder"
MOST_SECONDS = 2.0
"""Of processor time a file may take to be read, chunked and analysed."""
MOST_MEMORY = 1024.0
"""MB the ingest may take; FAISS, onnxruntime and the model take 175 for a post of two words."""
BROKEN = "broken"


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Ingest the hard inputs and account for every file of theirs."""
    if options.nasty is None:
        say("no hard inputs: give --nasty DIR")
        return ()
    say("ingest of the whole folder")
    run = ingest_once(options.nasty, options.work)
    reader = open_index(options.work / "index", Embedding())
    say("every file looked for")
    found = accounts(options.nasty, reader, run.report["skipped"], run.report["warnings"])
    say("every page timed and read to its end")
    read = pages(options.nasty, reader)
    return (
        *_by_folder(found),
        _encodings(options.nasty, run),
        _ends(read),
        _slowest(read),
        _memory(run, sum(page.size for page in read)),
        _nothing_run(run),
        _environment(options.work / "index"),
        _queries(options.nasty, reader),
    )


def _by_folder(found: list[Account]) -> Iterator[Fault]:
    folders = dict.fromkeys(account.source.partition("/")[0] for account in found)
    tops = {name for name in folders if any(a.source.startswith(f"{name}/") for a in found)}
    for name in (*sorted(tops), ""):
        own = [a for a in found if (a.source.partition("/")[0] if "/" in a.source else "") == name]
        outcomes = Counter(account.outcome for account in own)
        lost = [account.source for account in own if not account.is_known]
        yield Fault(
            what=f"hard inputs: {name or 'beside the folders'}",
            made=MADE,
            runs=len(own),
            held=len(own) - len(lost),
            seen=", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()),
            lost=_named(lost),
        )


def _encodings(content: Path, run: Run) -> Fault:
    read = readings(content / "encodings", run.report["warnings"])
    lost = [reading.name for reading in read if not reading.is_right]
    kinds = Counter(reading.outcome for reading in read)
    return Fault(
        what="other encodings",
        made="four posts in each, beside their UTF-8",
        runs=len(read),
        held=len(read) - len(lost),
        seen=", ".join(f"{count} {kind}" for kind, count in kinds.most_common()),
        lost=_named(lost),
    )


def _ends(read: list[Page]) -> Fault:
    lost = [page.source for page in read if not page.is_whole]
    longest = max(read, key=lambda page: page.longest)
    return Fault(
        what="a post that cannot be read to its end",
        made="every chunk of every post through read_chunk, against the file",
        runs=len(read),
        held=len(read) - len(lost),
        seen=f"{len(read) - len(lost):,} to the last character; the longest chunk has "
        f"{longest.longest:,}",
        lost=_named(lost),
    )


def _slowest(read: list[Page]) -> Fault:
    slow = [page.source for page in read if page.seconds > MOST_SECONDS]
    slowest = max(read, key=lambda page: page.seconds)
    return Fault(
        what="a file that holds up the run",
        made=f"processor time to read, chunk and analyse each, at most {MOST_SECONDS:.0f} s "
        "(the least of three)",
        runs=len(read),
        held=len(read) - len(slow),
        seen=f"slowest {slowest.seconds:.1f} s, {slowest.size / 1024:,.0f} KB of "
        f"{slowest.source.rpartition('/')[2]}; all {sum(page.seconds for page in read):.0f} s",
        lost=_named(slow),
    )


def _memory(run: Run, size: int) -> Fault:
    posts, texts = run.report["posts"], run.report["embedded"]
    return Fault(
        what="memory of the run",
        made=f"the most its process held, at most {MOST_MEMORY:,.0f} MB",
        runs=1,
        held=int(run.memory <= MOST_MEMORY),
        seen=f"{run.memory:,.0f} MB for {posts:,} posts of {size / 1024**2:.1f} MB, "
        f"{texts:,} texts embedded",
    )


def _nothing_run(run: Run) -> Fault:
    return Fault(
        what="code in front matter",
        made="YAML tags and JavaScript that write a file where they are run",
        runs=1,
        held=int(not run.pwned),
        seen=f"exit {run.status}, {'a file' if run.pwned else 'no file'} written",
    )


def _environment(index: Path) -> Fault:
    files = [path for path in index.rglob("*") if path.is_file()]
    holding = [path.name for path in files if SECRET.encode() in path.read_bytes()]
    return Fault(
        what="a secret in the environment",
        made="a variable with a word that no post holds",
        runs=len(files),
        held=len(files) - len(holding),
        seen=f"in {len(holding)} of the index's {len(files)} files",
        lost=_named(holding),
    )


def _queries(content: Path, reader: Reader) -> Fault:
    strings = json.loads((content / "strings" / "blns.json").read_text(encoding="utf-8"))
    said = Counter(_said(reader, string) for string in strings)
    return Fault(
        what="a naughty string as a query",
        made="every string of the Big List of Naughty Strings through search_blog",
        runs=len(strings),
        held=sum(count for kind, count in said.items() if not kind.startswith(BROKEN)),
        seen=", ".join(f"{count} {kind}" for kind, count in said.most_common()),
    )


def _said(reader: Reader, query: str) -> str:
    """What came of a query; any error that is not one of our sentences is what is looked for."""
    try:
        found = search_blog(reader, {"query": query}).structured_content
    except BlogSearchError as error:
        return f"refused ({encodable(str(error)).partition(',')[0]})"
    except Exception as error:
        return f"{BROKEN} by {type(error).__name__}"
    assert found is not None
    return "answered with hits" if found["results"] else "told that nothing matches"


def _named(sources: list[str], most: int = 5) -> str:
    more = f" and {len(sources) - most} more" if len(sources) > most else ""
    return ", ".join(sources[:most]) + more or "nothing"
