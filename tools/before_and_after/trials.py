"""Thirteen faults, each made once and described in a few words: what a user then sees.

A trial gets a tree with an empty folder and its stand-in of Ollama. It uses command lines, MCP,
HTTP and files alone, because the modules behind them are others in each tree.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

from tests.support.ollama.faults import (
    alters,
    compressed,
    exchanged,
    fails,
    nested,
    redirects,
)
from tests.support.ollama_standin import OllamaStandIn, running
from tools.before_and_after.posts import MARK, write
from tools.before_and_after.trees import CannotTry, Ran, Tree

Try: TypeAlias = Callable[[Tree, OllamaStandIn], str]

QUERY = "the kettle and the ferry"
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "trial", "version": "1"},
}
ALWAYS = 10_000
"""Requests, more than any trial makes."""
MCP = (
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: tools/call",
    "Mcp-Name: search_blog",
)
CLIENTS = 200
DISKS = (900, 1000, 1100, 1700, 2500)
"""Kilobytes: what is full first, the cache or the words, is chance."""
INGESTS = 12
SLOWEST = 10.0
"""Seconds for the first answer of a server that does not hang."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One numbered thing."""

    thing: str
    run: Try


def full_disk(tree: Tree, ollama: OllamaStandIn) -> str:
    """First ingests on disks that become full, each then again with more room."""
    write(tree.content, range(160))
    tree.make_index()
    texts = len(_passages(ollama))
    kept, again, set_aside = 0, 0, 0
    for size in DISKS:
        with _small_disk(tree.place / f"disk-{size}", size) as disk:
            index = disk / "index"
            if tree.ingest(index=index).status == 0:
                raise RuntimeError(f"a disk of {size} KB was large enough")
            stored = _count_vectors(index, tree.place / f"copy-{size}")
            subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
            ollama.requests.clear()
            done = tree.ingest(index=index)
            if done.status:
                raise RuntimeError(f"with more room too, the ingest failed: {done.err[-200:]}")
            kept += stored
            again += len(_passages(ollama)) - (texts - stored)
            set_aside += any(index.glob("*.damaged*"))
    aside = f"cache set aside on {set_aside} of {len(DISKS)} disks"
    return f"{aside}, {again} of {kept} stored vectors embedded again"


def redirect(tree: Tree, ollama: OllamaStandIn) -> str:
    """Every request for vectors is pointed to another host."""
    write(tree.content, range(10))
    with running() as other:
        ollama.faults = [redirects(307, f"http://{other.host}/api/embed")] * ALWAYS
        done = tree.ingest()
        named = other.host in done.err and ollama.host in done.err
        said = "both addresses named" if named else "nothing said"
        return f"{len(_passages(other))} passages sent to the other host, {said}"


def lost_bit(tree: Tree, ollama: OllamaStandIn) -> str:
    """One bit of the largest file, with its size, inode and time as they were."""
    del ollama
    write(tree.content, range(200))
    tree.make_index()
    path = max(_newest(tree).rglob("*"), key=lambda path: path.stat().st_size)
    if path.stat().st_size < 1 << 20:
        raise RuntimeError("no file of the index has 1 MiB")
    sound = _doctors_word(tree)
    _flip(path)
    return f"doctor: {_doctors_word(tree)} ({sound} without the fault); search: " + (
        "says so" if "damaged" in _all(tree.search(QUERY)) else "says nothing"
    )


def huge_number(tree: Tree, ollama: OllamaStandIn) -> str:
    """One post's title in TOML is an integer of 4,000 hex digits."""
    del ollama
    write(tree.content, range(5))
    bad = tree.content / "bad.md"
    bad.write_text(f"+++\ntitle = 0x{'f' * 4000}\n+++\nText.\n", encoding="utf-8")
    done = tree.ingest("--json")
    if done.status:
        return f"whole ingest ended, {done.how}"
    report = json.loads(done.out)
    named = "by name" if "bad.md" in str(report["skipped"]) else "not named"
    return f"{len(report['skipped'])} post skipped {named}, {report['posts']} indexed"


def bombs(tree: Tree, ollama: OllamaStandIn) -> str:
    """Lists in lists from one route of Ollama's, 200 MB in 200 kB from another."""
    write(tree.content, range(10))
    tree.make_index()
    ollama.elsewhere["/api/version"] = nested
    deep = tree.search(QUERY)
    ollama.elsewhere.clear()
    plain = tree.search(QUERY)
    ollama.faults = [compressed] * ALWAYS
    bomb = tree.search(QUERY)
    more = max(0, bomb.megabytes - plain.megabytes)
    return f"nested: {_found(deep)}; bomb: {_found(bomb)}, {more} MB more memory"


def hang_up(tree: Tree, ollama: OllamaStandIn) -> str:
    """Half a body and a hang-up, at two paths."""
    del ollama
    write(tree.content, range(5))
    tree.make_index()
    lines = []
    with tree.serving() as (port, log):
        for path in ("/api/search", "/mcp"):
            before = log.stat().st_size
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(_head(path, 100, *MCP) + b'{"query": ')
                time.sleep(0.3)
            time.sleep(1.0)
            lines.append(len(log.read_bytes()[before:].splitlines()))
    return f"{lines[0]} lines in the log by /api, {lines[1]} by /mcp"


def told_paths(tree: Tree, ollama: OllamaStandIn) -> str:
    """Ollama's error names a path with a blank, a UNC path and a password with an @."""
    write(tree.content, range(5))
    tree.make_index()
    secrets = {
        "a path with a blank": r"/home/me/My Secrets/model.gguf",
        "a UNC path": r"\\nas\share\model.gguf",
        "a password with an @": "http://me:pass@secretword@proxy/",
    }
    told = {"Secrets", "share", "secretword"}
    ollama.faults = [fails(403, f"cannot open {' or '.join(secrets.values())}")] * ALWAYS
    reply = tree.call("search_blog", {"query": QUERY}, 60) or ""
    if "eyword matches only" not in reply:
        raise RuntimeError(f"the client was told of no fault: {reply[:200]}")
    seen = sum(word in reply for word in told)
    return f"a client reads parts of {seen} of {len(secrets)}"


def odd_places(tree: Tree, ollama: OllamaStandIn) -> str:
    """A post of blank lines, a pipe as CURRENT, a generation with a number too large."""
    del ollama
    write(tree.content, range(5))
    plain = tree.ingest("--rebuild")
    blank = tree.content / "blank.md"
    blank.write_bytes(b"# Blank\n" + b"\n" * 3_000_000)
    begun = time.monotonic()
    large = tree.ingest()
    took = time.monotonic() - begun
    blank.unlink()
    more = max(0, large.megabytes - plain.megabytes)
    said = f"3 MB of blank lines: {took:.0f} s, {more} MB more"
    far = tree.index / "generations" / "99999999999999999"
    far.mkdir()
    write(tree.content, range(5, 6))
    tree.ingest()
    said = f"{said}; after a far generation: search {_found(tree.search(QUERY))}"
    current = tree.index / "CURRENT"
    current.unlink()
    os.mkfifo(current)
    reply = tree.ask("initialize", HELLO, SLOWEST)
    return f"{said}; CURRENT a pipe: {'a reply' if reply else f'hangs ({SLOWEST:.0f} s)'}"


def swapped_rows(tree: Tree, ollama: OllamaStandIn) -> str:
    """Two rows of a batch of 30 in each other's place, in twelve ingests."""
    rng = random.Random(9)
    noticed = 0
    for edition in range(INGESTS):
        write(tree.content, range(10), edition)
        ollama.on_text[MARK] = alters(exchanged(*rng.sample(range(30), 2)))
        done = tree.ingest(index=tree.place / f"index-{edition}")
        noticed += "mixes up" in done.err or "one by one" in done.err
    return f"noticed in {noticed} of {INGESTS} ingests"


def many_connections(tree: Tree, ollama: OllamaStandIn) -> str:
    """200 slow bodies of one client while another asks; heads that can be read in two ways."""
    del ollama
    _need_linux("to have a second address on loopback")
    write(tree.content, range(5))
    tree.make_index()
    body = json.dumps({"query": QUERY}).encode()
    odd = {
        "length and chunks": (_head("/api/search", 5, "Transfer-Encoding: chunked"), b"0\r\n\r\n"),
        "two Origins": (_head("/api/search", len(body), *["Origin: http://localhost"] * 2), body),
        "X-Forwarded-For": (_head("/api/search", len(body), "X-Forwarded-For: 10.9.8.7"), body),
    }
    with tree.serving() as (port, _log), ExitStack() as stack:
        statuses = [_status(port, b"".join(parts)) for parts in odd.values()]
        for _ in range(CLIENTS):
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            slow.sendall(_head("/api/search", 1000) + b"{")
        time.sleep(1.0)
        other = _status(port, _head("/api/search", len(body)) + body, "127.0.0.2")
    said = ", ".join(f"{what} {status}" for what, status in zip(odd, statuses, strict=True))
    return f"another client: {other}; {said}"


def little_memory(tree: Tree, ollama: OllamaStandIn) -> str:
    """A search and an ingest in an address space of 400 and 1,000 MB."""
    del ollama
    _need_linux("to limit the address space")
    write(tree.content, range(5))
    tree.make_index()
    ran = {
        "search, 400 MB": tree.run(
            "server", "search", "--index", str(tree.index), QUERY, limit=400
        ),
        "ingest, 1,000 MB": tree.ingest("--rebuild", limit=1000),
    }
    return "; ".join(f"{what}: {done.how}" for what, done in ran.items())


def history(tree: Tree, ollama: OllamaStandIn) -> str:
    """Posts that came, were edited and deleted by increments, beside a rebuild after each edit."""
    del ollama
    for step in range(4):
        write(tree.content, range(12 * step, 12 * step + 12))
        tree.make_index()
    apart = []
    for edition in (1, 2, 3):
        for number in (3, 6, 9, 12, 15, 30):
            write(tree.content, range(number, number + 1), edition)
        (tree.content / f"{edition * 7}.md").unlink()
        tree.make_index()
        rebuilt = tree.place / f"rebuilt-{edition}"
        tree.ingest(index=rebuilt)
        for query in (QUERY, "clock orchard", "how does a sail help a clock?", "hive"):
            grown, new = _scores(tree, query), _scores(tree, query, rebuilt)
            apart += [abs(grown[key] - new[key]) for key in grown.keys() & new.keys()]
    return f"{len(apart)} scores, at most {max(apart):.3f} apart"


def damaged_newest(tree: Tree, ollama: OllamaStandIn) -> str:
    """A fresh server over two generations, of which the newest is damaged."""
    del ollama
    write(tree.content, range(20))
    tree.make_index()
    write(tree.content, range(20, 22))
    tree.make_index()
    manifest = _newest(tree) / "manifest.json"
    text = manifest.read_text("utf-8")
    manifest.unlink()  # what it is linked to stays
    manifest.write_text(text[: len(text) // 2], encoding="utf-8")
    reply = json.loads(tree.call("search_blog", {"query": QUERY}, 60) or "{}")
    result = reply.get("result", reply)
    hits = (result.get("structuredContent") or {}).get("results") or []
    if not hits:
        return "refuses to search"
    said = "says so" if "newest cannot be used" in json.dumps(result) else "says nothing"
    return f"{len(hits)} hits of the generation before, and {said}"


TRIALS = {
    1: Trial("a full disk, then more room", full_disk),
    2: Trial("Ollama redirects", redirect),
    3: Trial("a bit lost under the same size, inode and time", lost_bit),
    4: Trial("one post with a number of 4,000 digits", huge_number),
    5: Trial("nested JSON and a compressed bomb from Ollama", bombs),
    6: Trial("half a body and a hang-up", hang_up),
    7: Trial("paths and passwords in what clients are told", told_paths),
    8: Trial("blank lines, a far generation, CURRENT as a pipe", odd_places),
    9: Trial("two rows swapped in each batch", swapped_rows),
    10: Trial("200 connections of one client, heads of two readings", many_connections),
    11: Trial("little address space", little_memory),
    12: Trial("scores after increments and after a rebuild", history),
    13: Trial("a fresh server, its newest generation damaged", damaged_newest),
}


def outcome(trial: Trial, root: Path, place: Path) -> str:
    """Run a trial on a tree; what came of it, or why it could not be run."""
    place.mkdir(parents=True)
    try:
        with running() as ollama, redirect_stderr(StringIO()):  # where clients hang up on it
            return trial.run(Tree(root, place, f"http://{ollama.host}"), ollama)
    except CannotTry as reason:
        return f"not run: {reason}"
    except (OSError, RuntimeError, ValueError, LookupError, sqlite3.Error) as error:
        return f"the trial failed: {type(error).__name__}: {error}"


@contextmanager
def _small_disk(place: Path, kilobytes: int) -> Iterator[Path]:
    _need_linux("to mount a small disk")
    if os.geteuid() != 0:
        raise CannotTry("needs root, to mount a small disk")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        raise CannotTry("needs the right to mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def _need_linux(why: str) -> None:
    if not sys.platform.startswith("linux"):
        raise CannotTry(f"needs Linux, {why}")


def _passages(ollama: OllamaStandIn) -> set[str]:
    """The posts' texts that were sent there."""
    return {text for body in ollama.embedded for text in body["input"] if MARK in text}


def _count_vectors(index: Path, room: Path) -> int:
    """Count the rows of all embedding caches, damaged ones too, in copies where there is room."""
    room.mkdir()
    for path in index.glob("embeddings.db*"):
        shutil.copy2(path, room)
    count = 0
    for cache in [*room.glob("*.db"), *room.glob("*.damaged")]:
        with closing(sqlite3.connect(cache)) as connection, suppress(sqlite3.OperationalError):
            [rows] = connection.execute("SELECT count(*) FROM embeddings").fetchone()
            count += int(rows)  # an empty file has no such table
    return count


def _newest(tree: Tree) -> Path:
    return tree.index / "generations" / (tree.index / "CURRENT").read_text("utf-8").strip()


def _flip(path: Path) -> None:
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(status.st_size // 2)
        byte = file.read(1)[0]
        file.seek(status.st_size // 2)
        file.write(bytes([byte ^ 4]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _doctors_word(tree: Tree) -> str:
    said = tree.run("server", "doctor", "--index", str(tree.index))
    return "damaged" if "damaged" in _all(said) else "whole"


def _all(ran: Ran) -> str:
    return ran.out + ran.err


def _found(search: Ran) -> str:
    if search.status:
        return search.how
    notice = "keyword hits" if "eyword matches only" in _all(search) else "hits"
    return notice if ".md" in search.out else "no hits"


def _scores(tree: Tree, query: str, index: Path | None = None) -> dict[Any, float]:
    said = json.loads(tree.search(query, "--json", "--limit", "10", index=index).out)
    hits = said.get("results") or said["hits"]
    return {(hit["source"], hit["chunk_index"]): hit["score"] for hit in hits}


def _head(path: str, length: int, *more: str) -> bytes:
    kind = "Content-Type: application/json"
    first = f"POST {path} HTTP/1.1"
    lines = (first, "Host: localhost", kind, f"Content-Length: {length}", *more, "", "")
    return "\r\n".join(lines).encode()


def _status(port: int, sent: bytes, source: str = "127.0.0.1") -> str:
    """The status of the answer to these bytes, from a client of that address."""
    with socket.create_connection(("127.0.0.1", port), 20, (source, 0)) as client:
        try:
            client.sendall(sent)
            answer = client.recv(100)
        except OSError as error:
            return type(error).__name__
    found = re.match(rb"HTTP/1\.1 (\d+)", answer)
    return found[1].decode() if found else "no answer"
