"""A proxy on loopback that stalls connections, cuts them or takes none, as networks do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Proxy:
    """Passes bytes on to a port of loopback, as far as it is told to."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._open: list[socket.socket] = []
        self._flowing = threading.Event()
        self._flowing.set()
        self._left: int | None = None
        self._takes = True
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stall(self) -> None:
        """Pass nothing on, and keep connections."""
        self._flowing.clear()

    def refuse(self) -> None:
        """Cut all connections, and every new one at once."""
        self._takes = False
        self._cut()

    def cut_after(self, size: int) -> None:
        """Cut all connections once so many more bytes came from the server."""
        self._left = size

    def mend(self) -> None:
        """Pass everything on again."""
        self._left, self._takes = None, True
        self._flowing.set()

    def close(self) -> None:
        self.mend()
        self._listening.close()
        self._cut()

    def _cut(self) -> None:
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if not self._takes:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    near.close()
                    continue
                self._open += [near, far]
                for source, sink, counts in ((near, far, False), (far, near, True)):
                    threading.Thread(
                        target=self._pump, args=(source, sink, counts), daemon=True
                    ).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counts: bool) -> None:
        with suppress(OSError), source, sink:
            while found := source.recv(65_536):
                self._flowing.wait()
                if counts and self._left is not None:
                    self._left -= len(found)
                    if self._left < 0:
                        self._left = None
                        self._cut()
                        return
                sink.sendall(found)


@contextmanager
def proxying(address: str) -> Iterator[Proxy]:
    """Stand between a client and the server at `address` for the length of a block."""
    proxy = Proxy(int(address.rpartition(":")[2]))
    try:
        yield proxy
    finally:
        proxy.close()
