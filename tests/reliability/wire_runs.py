"""What a client may do that no good client does: an open connection in, what was seen out."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TypeAlias

from tests.support.faults.server_process import META, MODERN, Process, call, line, opening, outcome

Seen: TypeAlias = tuple[bool, str]
"""Whether it held, and what was seen."""

ENOUGH = 2_000
"""Requests whose answers no pipe holds."""

MOST_GROWN = 100
"""MB; 40 threads that search take about 40, whatever waits behind them."""

HOLDING = """
import threading
from blog_search_mcp.server import __main__
from blog_search_mcp.server.stdio import transport as stdio

real = stdio.engine_for
def holding(settings):
    engine, may_go = real(settings), threading.Event()
    search = engine.search
    def held(query, *given, **named):
        if query == "hold":
            may_go.wait()
        if query == "release":
            may_go.set()
        return search(query, *given, **named)
    engine.search = held
    return engine

stdio.engine_for = holding
__main__.main()
"""
"""A server whose search for `hold` ends once `release` was searched for."""


def mixed(count: int) -> bytes:
    """Return so many requests of three kinds, with ids from 0."""
    kinds = (
        lambda number: call(number, {"query": "what is a cache?"}),
        lambda number: call(number, {"source": "no.md", "chunk_index": 0}, "read_chunk"),
        lambda number: line(id=number, method="tools/list", params={"_meta": META}),
    )
    return b"".join(kinds[number % 3](number) for number in range(count))


def burst(index: Path, count: int) -> Seen:
    """All requests at once: every one is answered, and memory does not grow with them."""
    server = Process(index, MODERN)
    server.search()
    before = server.most_memory
    writing = threading.Thread(target=server.send, args=(mixed(count),))
    writing.start()
    replies = server.replies(count)
    writing.join()
    answered = {reply["id"] for reply in replies if "result" in reply}
    grown = (server.most_memory - before) // 1024
    lives = _searches(server)
    said = f"{len(answered):,} of {count:,} answered; {grown} MB more memory at most"
    return len(answered) == count and grown < MOST_GROWN and lives, said


def unread(index: Path, count: int = ENOUGH) -> Seen:
    """Requests without reading replies: the server stops reading, and goes on when it can."""
    server = Process(index, MODERN)
    server.search()
    server.listening.clear()
    before, asked = server.most_memory, mixed(count)
    taken = server.send_what_fits(asked, quiet=1.0)
    grown = (server.most_memory - before) // 1024
    server.listening.set()
    writing = threading.Thread(target=server.send, args=(asked[taken:],))
    writing.start()
    answered = {reply["id"] for reply in server.replies(count) if "result" in reply}
    writing.join()
    lives = _searches(server)
    held = taken < len(asked) and grown < MOST_GROWN and len(answered) == count and lives
    said = f"{taken:,} of {len(asked):,} bytes taken, {grown} MB more memory at most"
    return held, f"{said}; once read, {len(answered):,} of {count:,} answered"


def cancelled(index: Path) -> Seen:
    """A call cancelled while it runs: it is never answered, and others are meanwhile."""
    server = Process(index, MODERN, ("-c", HOLDING))
    cancel = line(method="notifications/cancelled", params={"requestId": 1})
    server.send(call(1, {"query": "hold"}) + cancel + call(2, {"query": "cache"}))
    seen = [outcome(reply) for reply in server.replies(1)]
    server.send(call(3, {"query": "release"}))
    seen += [outcome(reply) for reply in server.replies(1)]
    seen += [outcome(server.search())]
    server.close_input()
    held = seen == ["2: result", "3: result", '"after": result'] and server.status() == 0
    server.end()
    return held, "no answer to it; " + ", ".join(seen)


def torn(index: Path) -> Seen:
    """The end of input in the middle of a line."""
    return _last_words(index, call(1, {"query": "cache"})[:40], "null: -32700")


def ended_in_a_call(index: Path) -> Seen:
    """The end of input in the middle of a call, and of a line without its line break."""
    return _last_words(index, call(1, {"query": "cache"}).rstrip(b"\n"), "1: result")


def hung_up(index: Path) -> Seen:
    """A client killed with calls unanswered: the server ends by itself."""
    server = Process(index)
    server.send(opening(MODERN) + mixed(30))
    server.hang_up()
    return _ends(server)


def not_listening(index: Path) -> Seen:
    """A client that closed its reading end alone."""
    server = Process(index)
    server.stop_listening()
    server.send(call(1, {"query": "cache"}))
    return _ends(server)


def _last_words(index: Path, sent: bytes, expected: str) -> Seen:
    server = Process(index, MODERN)
    server.send(sent)
    server.close_input()
    [reply] = server.replies(1)
    ended, said = _ends(server)
    return ended and outcome(reply) == expected, f"{outcome(reply)}; {said}"


def _ends(server: Process) -> Seen:
    status = server.status()
    complained = server.end()
    return (status, complained) == (0, b""), f"the server ended with status {status}"


def _searches(server: Process) -> bool:
    """Whether a normal search is answered; the server is ended then."""
    lives = outcome(server.search()) == '"after": result'
    server.end()
    return lives
