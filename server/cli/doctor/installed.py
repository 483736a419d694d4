"""Python and packages: what the installed distribution requires and what is there in, findings out.

Only the standard library and `packaging` are needed, so that a missing package is a finding.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from blog_search_mcp.server.cli.doctor.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

DISTRIBUTION = "blog-search-mcp"


@dataclass(frozen=True, slots=True)
class Installed:
    """What was asked for and what is there."""

    python: str
    wanted_python: str
    """A version specifier, such as `>=3.11`."""
    version: str
    """This program's; empty if it runs from a folder without being installed."""
    wanted: Mapping[str, str]
    """Version specifier by package."""
    found: Mapping[str, str | None]
    """Version by package, `None` where it is missing."""


def gather() -> Installed:
    """Look at the Python that runs this and at its packages."""
    python = platform.python_version()
    try:
        ours = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return Installed(python, "", "", {}, {})
    wanted = [Requirement(line) for line in ours.requires or ()]
    specifiers = {
        need.name: str(need.specifier)
        for need in wanted
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }
    return Installed(
        python=python,
        wanted_python=str(ours.metadata["Requires-Python"] or ""),
        version=ours.version,
        wanted=specifiers,
        found={name: _version(name) for name in specifiers},
    )


def findings(installed: Installed) -> list[Finding]:
    """Judge the versions."""
    if not installed.version:
        return [
            Finding("Python", "ok", f"{installed.python}."),
            Finding(
                "packages",
                "warning",
                f"{DISTRIBUTION} is not installed in this Python, so versions are not compared.",
                f"{sys.executable} -m pip install -e .",
            ),
        ]
    return [_python(installed), *_packages(installed)]


def missing(installed: Installed) -> list[str]:
    """List packages without which nothing else can be looked at."""
    return [name for name, version in installed.found.items() if version is None]


def _python(installed: Installed) -> Finding:
    wanted = installed.wanted_python
    if SpecifierSet(wanted).contains(installed.python, prereleases=True):
        return Finding("Python", "ok", f"{installed.python}.")
    return Finding(
        "Python",
        "problem",
        f"{installed.python} is not {wanted}.",
        "make clean setup PYTHON=python3.12",
    )


def _packages(installed: Installed) -> list[Finding]:
    wrong = {
        name: version
        for name, version in installed.found.items()
        if version is None
        or not SpecifierSet(installed.wanted[name]).contains(version, prereleases=True)
    }
    if wrong:
        return [_wrong(name, version, installed.wanted[name]) for name, version in wrong.items()]
    versions = ", ".join(f"{name} {version}" for name, version in installed.found.items())
    return [Finding("packages", "ok", f"{DISTRIBUTION} {installed.version} with {versions}.")]


def _wrong(name: str, version: str | None, wanted: str) -> Finding:
    said = f"{name} is missing." if version is None else f"{name} {version} is not {wanted}."
    return Finding("packages", "problem", said, f'{sys.executable} -m pip install "{name}{wanted}"')


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
