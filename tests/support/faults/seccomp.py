"""Linux's seccomp notifications: a forked process whose calls that change a disk ask us first.

Every such call is met at the kernel's door, whoever makes it: Python, FAISS's C++,
tantivy's Rust threads, SQLite's C. That is what wrapping Python's functions cannot do.
Constants and structures are those of linux/seccomp.h, linux/filter.h and linux/audit.h.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_X86, _ARM = range(2)
_MACHINES = {"x86_64": (_X86, 0xC000003E), "aarch64": (_ARM, 0xC00000B7)}
"""Machine → which number below, and what the kernel calls it (AUDIT_ARCH)."""

BY_PATH = {
    "open": (2, None),
    "openat": (257, 56),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rmdir": (84, None),
}
BY_DESCRIPTOR = {
    "write": (1, 64),
    "writev": (20, 66),
    "pwrite64": (18, 68),
    "sendfile": (40, 71),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
}
"""Calls that change a disk, with their numbers on both machines (asm/unistd.h)."""

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
"""Of an open call's flags, those that say it will write."""

_HERE = 0xFFFFFF9C
"""AT_FDCWD, as an unsigned number."""

_LOAD, _EQUAL, _ANY_BIT, _ABOVE, _RETURN = 0x20, 0x15, 0x45, 0x25, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_NO_NEW_PRIVILEGES, _FILTER, _LISTENER = 38, 1, 1 << 3
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_RECEIVE, _SEND, _CONTINUE = 0xC0502100, 0xC0182101, 1
_REQUEST = struct.Struct("=QIIiIQ6Q")
"""seccomp_notif: id, pid, flags, number, arch, instruction, six arguments."""
_ANSWER = struct.Struct("=QqiI")
"""seccomp_notif_resp: id, value, error, flags."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call that waits for an answer."""

    key: int
    pid: int
    name: str
    arguments: tuple[int, ...]

    @property
    def path(self) -> str:
        """What it is about to change, absolute; empty if the process has gone."""
        try:
            if self.name in BY_DESCRIPTOR:
                return str(self._open(f"fd/{self.arguments[0]}"))
            if not self.name.endswith(("at", "at2")):
                return str(self._open("cwd") / _text(self.pid, self.arguments[0]))
            folder = self.arguments[0] & 0xFFFFFFFF
            below = self._open("cwd" if folder == _HERE else f"fd/{folder}")
            return str(below / _text(self.pid, self.arguments[1]))
        except OSError:
            return ""

    def _open(self, name: str) -> Path:
        return Path(f"/proc/{self.pid}/{name}").readlink()


def available() -> bool:
    """Whether this system grants it, tried in a process of its own."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    trying = [sys.executable, "-c", f"from {__name__} import listened_to; listened_to()"]
    return subprocess.run(trying, capture_output=True, check=False).returncode == 0


def listened_to() -> int:
    """From now on every call of this process that changes a disk waits for the listener.

    Returns the listener's descriptor, to be sent to another process. Raises OSError.
    """
    which, _ = _MACHINES[platform.machine()]
    program = b"".join(_program(which))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    listener = library.syscall(_SECCOMP[platform.machine()], _FILTER, _LISTENER, header)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp has no notifications here")
    return int(listener)


def received(listener: int) -> Call:
    """The next call. Raises OSError if it has gone meanwhile."""
    import fcntl

    which, _ = _MACHINES[platform.machine()]
    names = {numbers[which]: name for name, numbers in (BY_PATH | BY_DESCRIPTOR).items()}
    request = bytearray(_REQUEST.size)
    fcntl.ioctl(listener, _RECEIVE, request)
    key, pid, _, number, _, _, *arguments = _REQUEST.unpack(request)
    return Call(key, pid, names[number], tuple(arguments))


def answer(listener: int, call: Call, error: int) -> None:
    """Let the call go on, or fail with `error` (an errno) if it is not 0."""
    import fcntl

    flags = 0 if error else _CONTINUE
    fcntl.ioctl(listener, _SEND, bytearray(_ANSWER.pack(call.key, 0, -error, flags)))


def _program(which: int) -> list[bytes]:
    """Notify of the calls above, but for opens to read and writes to stdout and stderr."""
    code = [_step(_LOAD, _NUMBER)]
    for name, numbers in (BY_PATH | BY_DESCRIPTOR).items():
        number = numbers[which]
        if number is None:
            continue
        if name in ("open", "openat"):
            flags = _ARGUMENTS + 8 * (2 if name == "openat" else 1)
            check = [_step(_LOAD, flags), _step(_ANY_BIT, WRITES, 0, 1)]
        elif name in BY_DESCRIPTOR:
            check = [_step(_LOAD, _ARGUMENTS), _step(_ABOVE, 2, 0, 1)]
        else:
            check = []
        code += [_step(_EQUAL, number, 0, len(check) + 1 + bool(check)), *check]
        code.append(_step(_RETURN, _NOTIFY))
        code += [_step(_RETURN, _ALLOW)] if check else []
    return [*code, _step(_RETURN, _ALLOW)]


def _step(operation: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", operation, then, otherwise, value)


def _text(pid: int, address: int) -> str:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(4096).partition(b"\0")[0].decode(errors="replace")
