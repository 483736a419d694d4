"""Check Python and the installed packages against what the distribution requires.

Only the standard library and `packaging` are needed, so that a missing package is a finding.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from blog_search_mcp.server.cli.doctor.findings import Finding

DISTRIBUTION = "blog-search-mcp"


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
        ours = metadata.distribution(DISTRIBUTION)
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


def check_packages(environment: Environment) -> list[Finding]:
    """Compare the versions."""
    if not environment.version:
        return [
            Finding("Python", "ok", f"{environment.python}."),
            Finding(
                "packages",
                "warning",
                f"{DISTRIBUTION} is not installed in this Python, so versions are not compared.",
                f"{sys.executable} -m pip install -e .",
            ),
        ]
    return [_check_python(environment), *_check_versions(environment)]


def _check_python(environment: Environment) -> Finding:
    wanted = environment.wanted_python
    if SpecifierSet(wanted).contains(environment.python, prereleases=True):
        return Finding("Python", "ok", f"{environment.python}.")
    return Finding(
        "Python",
        "problem",
        f"{environment.python} is not {wanted}.",
        "make clean setup PYTHON=python3.12",
    )


def _check_versions(environment: Environment) -> list[Finding]:
    wrong = {
        name: version
        for name, version in environment.found.items()
        if version is None
        or not SpecifierSet(environment.wanted[name]).contains(version, prereleases=True)
    }
    if wrong:
        return [
            _mismatch(name, version, environment.wanted[name]) for name, version in wrong.items()
        ]
    versions = ", ".join(f"{name} {version}" for name, version in environment.found.items())
    return [Finding("packages", "ok", f"{DISTRIBUTION} {environment.version} with {versions}.")]


def _mismatch(name: str, version: str | None, wanted: str) -> Finding:
    text = f"{name} is missing." if version is None else f"{name} {version} is not {wanted}."
    return Finding("packages", "problem", text, f'{sys.executable} -m pip install "{name}{wanted}"')


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
