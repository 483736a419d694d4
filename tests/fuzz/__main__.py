"""`make fuzz`: each target of tests/fuzz/targets.py in turn, or one of them as often as wanted.

An input that breaks a target is saved below .fuzz/ and named with the command that repeats it.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.seeds import SEEDS

FOLDER = Path(".fuzz")
"""Below it, what atheris found worth keeping and what broke, by target."""

DEFAULTS = ("-max_total_time=60", "-max_len=4096", "-timeout=20", "-rss_limit_mb=4096")
"""A minute a target; an input that takes 20 seconds or 4 GB is a defect too."""

MISSING = (
    "atheris is not installed for this Python ({version}); "
    "`make fuzz` installs it where it has a wheel."
)


def main(arguments: list[str]) -> int:
    """Fuzz; the exit status is 1 if any target broke, 2 if atheris is not there."""
    if find_spec("atheris") is None:
        sys.stderr.write(MISSING.format(version=sys.version.split()[0]) + "\n")
        return 2
    if arguments and not arguments[0].startswith("-"):
        return _fuzz(arguments[0], arguments[1:])
    broken = [name for name in SEEDS if _in_its_own_process(name, arguments)]
    sys.stderr.write(f"{len(SEEDS)} targets fuzzed; broken: {', '.join(broken) or 'none'}.\n")
    return int(bool(broken))


def _in_its_own_process(name: str, options: list[str]) -> bool:
    """Whether the target broke; libFuzzer ends the process that it runs in."""
    saved = FOLDER / name
    before = set(saved.glob("broke-*"))
    sys.stderr.write(f"\n{name}\n")
    status = subprocess.run([sys.executable, "-m", "tests.fuzz", name, *options]).returncode
    for path in sorted(set(saved.glob("broke-*")) - before):
        sys.stderr.write(f"Broken by {path}. Again: python -m tests.fuzz {name} {path}\n")
    return status != 0


def _fuzz(name: str, arguments: list[str]) -> int:
    import atheris

    with atheris.instrument_imports(include=["ingest", "index", "server", "markdown_it"]):
        from tests.fuzz.targets import TARGETS
    if name not in TARGETS:
        sys.stderr.write(f"There is no target {name!r}. There are {', '.join(TARGETS)}.\n")
        return 2
    kept = _seeded(name)
    given = [] if any(not given.startswith("-") for given in arguments) else [str(kept)]
    place = f"-artifact_prefix={kept.parent}/broke-"
    atheris.Setup(["fuzz", *DEFAULTS, place, *arguments, *given], TARGETS[name])
    atheris.Fuzz()
    return 0


def _seeded(name: str) -> Path:
    """The folder of inputs worth keeping, with those to begin from in it."""
    kept = FOLDER / name / "kept"
    kept.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (kept / f"seed-{number}").write_bytes(seed)
    return kept


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
