"""Count the modules that one search, one read and one ingest of an edit pass through.

`python -m tools.flow_counts [--list] [--packages NAMES]`

A module counts if a function written in it runs during the step; importing it does not count, nor
does a method that a dataclass generates. Each step runs in a process of its own over the posts in
content/ with the embedded embedder, all threads included: a search and a read as tool calls that a
server over stdio answers, an ingest as the whole command.

`--packages` are the packages whose modules count; another tree is measured by putting it first
on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

CONTENT = Path(__file__).parents[1] / "content"
STEPS = ("search", "read", "ingest")
POST = "llm/kv-cache-intro.md"
TOOL_CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "search": ("search_blog", {"query": "how does a KV cache grow"}),
    "read": ("read_chunk", {"source": POST, "chunk_index": 0}),
}
CALLS = 5
PAUSE = 0.5
"""Seconds between two calls. The call with the fewest modules counts: what the server does beside
its answers, such as comparing the index with the posts every few seconds, falls into others."""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Recorder:
    """Records the modules whose functions are called while it is on, in every later thread."""

    def __init__(self, packages: Sequence[str], descriptor: int) -> None:
        """`descriptor` is where `finish` writes the names to."""
        self._packages = tuple(packages)
        self._descriptor = descriptor
        self._is_on = False
        self._modules: set[str] = set()
        self._recorded: set[CodeType] = set()
        self._fewest: set[str] | None = None

    def install(self) -> None:
        """Profile this thread and every thread that starts from now on."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def start(self) -> None:
        """Begin a recording."""
        self._modules, self._recorded = set(), set()
        self._is_on = True

    def stop(self) -> None:
        """End it, and keep it if it has the fewest modules."""
        self._is_on = False
        if self._fewest is None or len(self._modules) < len(self._fewest):
            self._fewest = self._modules

    def finish(self) -> None:
        """Write the modules as a JSON array, at once since a server may end by `os._exit`."""
        with os.fdopen(self._descriptor, "w") as results:
            json.dump(sorted(self._fewest or ()), results)

    def _profile(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if not self._is_on or event != "call" or code in self._recorded:
            return
        caller = frame.f_back
        if caller is not None and caller.f_code.co_name == "<module>":
            return  # its module is being imported
        self._recorded.add(code)
        name = str(frame.f_globals.get("__name__", ""))
        if (
            name.partition(".")[0] in self._packages
            and code.co_name != "<module>"
            and Path(code.co_filename).suffix == ".py"
            and "__qualname__" not in code.co_names  # the body of a class
        ):
            self._modules.add(name)


def main() -> int:
    """Measure every step and print its count, or run one step as the child of such a call."""
    parser = argparse.ArgumentParser(description="Count the modules that each step passes through.")
    parser.add_argument("--list", action="store_true", help="print the names of the modules too")
    parser.add_argument("--packages", default="blog_search_mcp", help="separated by commas")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--index", help=argparse.SUPPRESS)
    parser.add_argument("--content", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        _run_step(options.step, options.packages.split(","), options.index, options.content)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        content, index = Path(folder) / "content", Path(folder) / "index"
        shutil.copytree(CONTENT, content)
        common = ("--packages", options.packages, "--index", str(index), "--content", str(content))
        _run_child("ingest", common)
        for step in STEPS:
            if step == "ingest":
                post = content / POST
                post.write_text(post.read_text("utf-8") + "\nOne more line.\n", "utf-8")
            modules = _run_child(step, common)
            print(f"{step}: {len(modules)} modules")  # noqa: T201
            if options.list:
                print("".join(f"  {name}\n" for name in modules), end="")  # noqa: T201
    return 0


def _run_child(step: str, common: Sequence[str]) -> list[str]:
    command = [sys.executable, "-P", __file__, "--step", step, *common]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    modules: list[str] = json.loads(done.stdout)
    return modules


def _run_step(step: str, packages: Sequence[str], index: str, content: str) -> None:
    recorder = Recorder(packages, os.dup(1))
    prefix = "" if "server" in packages else f"{packages[0]}."
    if step == "ingest":
        sys.argv[1:] = [content, "--index", index, "--embedder", "embedded"]
        ingest = import_module(f"{prefix}ingest.__main__").main
        recorder.start()
        recorder.install()
        ingest()
        recorder.stop()
        recorder.finish()
    else:
        sys.argv[1:] = ["--index", index]
        serve = import_module(f"{prefix}server.__main__").main
        _drive_server(*TOOL_CALLS[step], recorder)
        recorder.install()
        serve()


def _drive_server(tool: str, arguments: dict[str, Any], recorder: Recorder) -> None:
    """Put pipes in the place of stdin and stdout, and call the tool over them from a thread."""
    requests, server_in = os.pipe()
    server_out, replies = os.pipe()
    os.dup2(requests, 0)
    os.dup2(replies, 1)

    def drive() -> None:
        with os.fdopen(server_in, "w") as write, os.fdopen(server_out) as read:
            call = _caller(tool, arguments, write.write, write.flush, read.readline)
            call()
            for _ in range(CALLS):
                time.sleep(PAUSE)
                recorder.start()
                call()
                recorder.stop()
            recorder.finish()

    threading.Thread(target=drive, daemon=True).start()


def _caller(
    tool: str,
    arguments: dict[str, Any],
    write: Callable[[str], object],
    flush: Callable[[], object],
    read_line: Callable[[], str],
) -> Callable[[], None]:
    params = {"name": tool, "arguments": arguments, "_meta": META}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    def call() -> None:
        write(json.dumps(request) + "\n")
        flush()
        while (reply := json.loads(read_line())).get("id") != 1:
            pass
        assert not reply["result"].get("isError"), reply

    return call


if __name__ == "__main__":
    sys.exit(main())
