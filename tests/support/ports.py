"""Ports of loopback: a free one, and one that a process is about to listen on."""

import socket
import subprocess
import time
from contextlib import suppress


def free_port() -> int:
    """Return a port on which nobody listened a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_listening(port: int, process: subprocess.Popen[bytes], patience: float) -> None:
    """Wait at most `patience` seconds until the process accepts connections."""
    end = time.monotonic() + patience
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"The server does not listen; its exit status: {process.poll()}.")
