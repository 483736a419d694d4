"""What arrives on the wire: odd bytes and odd clients in, what they saw and who lived out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from queue import Empty

from benchmarks.chaos import wire_http, wire_kinds, wire_runs
from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.wire_client import ROOT, Process, outcome
from benchmarks.chaos.wire_http import Listener

BURST = 10_000
SHOWN = 60
"""Characters of what was sent that fit into a row."""

RUNS: tuple[tuple[str, str, Callable[[Path], wire_runs.Seen]], ...] = (
    (
        "a burst",
        f"{BURST:,} requests written at once",
        lambda index: wire_runs.burst(index, BURST),
    ),
    ("replies not read", f"{wire_runs.ENOUGH:,} requests, no reply read", wire_runs.unread),
    ("a cancelled call", "`notifications/cancelled` while it runs", wire_runs.cancelled),
    ("EOF in a line", "stdin closed after 40 bytes of a request", wire_runs.torn),
    ("EOF in a call", "stdin closed right after a request", wire_runs.ended_in_a_call),
    ("a killed client", "both pipes closed with 30 calls open", wire_runs.hung_up),
    ("stdout closed alone", "the client's reading end closed", wire_runs.not_listening),
)


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Send every kind to a real server, each followed by a normal search."""
    index = options.work / "index"
    subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "blog_search_mcp.ingest",
                str(options.blog),
                "--index",
                str(index),
            ),
            *("--embedder", "embedded"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return (*_sent(index, say), *_done(index, say), *_requested(index, say))


def _sent(index: Path, say: Say) -> list[Fault]:
    rows: list[Fault] = []
    open_servers: dict[str, Process] = {}
    for kind in wire_kinds.KINDS:
        say(kind.what)
        server = open_servers.pop(kind.version, None) or Process(index, kind.version)
        seen, after = _exchange(server, kind)
        held = sorted(seen) == sorted(kind.answers) and after == "result"
        told = f"{', '.join(seen) or 'no answer'}; next search: {after}"
        rows.append(Fault(kind.what, _excerpt(kind.sent), 1, int(held), told))
        if held and kind.version:
            open_servers[kind.version] = server
        else:
            server.end()
    for server in open_servers.values():
        server.end()
    return rows


def _exchange(server: Process, kind: wire_kinds.Kind) -> tuple[list[str], str]:
    """Send it, then search; the outcomes of both."""
    try:
        server.send(kind.sent)
        seen = [outcome(reply) for reply in server.replies(len(kind.answers))]
        return seen, outcome(server.search()).partition(": ")[2]
    except (Empty, OSError):
        return [], "none, the server " + ("is silent" if server.alive else "is dead")


def _done(index: Path, say: Say) -> list[Fault]:
    rows: list[Fault] = []
    for what, made, run in RUNS:
        say(what)
        held, seen = run(index)
        rows.append(Fault(what, made, 1, int(held), seen))
    return rows


def _requested(index: Path, say: Say) -> list[Fault]:
    rows: list[Fault] = []
    server = Listener(index)
    for kind in wire_http.KINDS:
        say(kind.what)
        status, _body = server.answer(kind)
        after = outcome(server.search()).partition(": ")[2]
        held = (status, after) == (kind.status, "result")
        made = f"{kind.method} {kind.path}, {_excerpt(kind.body)}"
        rows.append(Fault(kind.what, made, 1, int(held), f"{status}; next search: {after}"))
    server.end()
    return rows


def _excerpt(sent: bytes) -> str:
    """The bytes as Python writes them, or their end and number: a call's end tells it apart."""
    written = repr(sent.rstrip(b"\n"))[2:-1].replace("`", "'")
    if len(written) <= SHOWN:
        return f"`{written}`"
    return f"…`{written[-SHOWN:]}` ({len(sent):,} bytes)"
