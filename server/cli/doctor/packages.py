"""Check Python and the installed packages against what the distribution requires.

Only the standard library and `packaging` are needed, so that a missing package is a result.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from blog_search_mcp.index.commands import PACKAGE, reinstall_command
from blog_search_mcp.server.cli.doctor.results import CheckResult, count


@dataclass(frozen=True, slots=True)
class Environment:
    """The versions that are required and those that are installed."""

    python: str
    wanted_python: str
    """A version specifier, such as `>=3.11`."""
    version: str
    """This program's; empty if it runs from a folder without being installed."""
    wanted: Mapping[str, str]
    """Version specifier by package."""
    found: Mapping[str, str | None]
    """Version by package, `None` where it is missing."""


def read_environment() -> Environment:
    """Read the versions of this Python and of the packages that this program requires."""
    python = platform.python_version()
    try:
        ours = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        return Environment(python, "", "", {}, {})
    wanted = [Requirement(line) for line in ours.requires or ()]
    specifiers = {
        need.name: str(need.specifier)
        for need in wanted
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }
    return Environment(
        python=python,
        wanted_python=str(ours.metadata["Requires-Python"] or ""),
        version=ours.version,
        wanted=specifiers,
        found={name: _version(name) for name in specifiers},
    )


def check_packages(environment: Environment) -> list[CheckResult]:
    """Compare the versions."""
    python = CheckResult("Python", "ok", f"{environment.python}.")
    if not environment.version:
        text = f"{PACKAGE} is not installed in this Python, so versions are not compared."
        remedy = f"{sys.executable} -m pip install -e ."
        return [python, CheckResult("packages", "warning", text, remedy)]
    if not _fits(environment.python, environment.wanted_python):
        text = f"{environment.python} is not {environment.wanted_python}."
        python = CheckResult("Python", "problem", text, reinstall_command())
    wrong = []
    for name, version in environment.found.items():
        wanted = environment.wanted[name]
        if version is None or not _fits(version, wanted):
            text = f"{name} {version} is not {wanted}." if version else f"{name} is missing."
            wrong.append(CheckResult("packages", "problem", text, reinstall_command()))
    packages = count(len(environment.found), "package")
    text = f"{PACKAGE} {environment.version}, with the versions it needs of {packages}."
    return [python, *(wrong or [CheckResult("packages", "ok", text)])]


def _fits(version: str, wanted: str) -> bool:
    return SpecifierSet(wanted).contains(version, prereleases=True)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
