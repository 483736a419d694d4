"""Pack dist/blog-search-mcp.mcpb, a bundle that Claude Desktop installs: manifest and source.

A bundle of type "uv" has our source with its pyproject.toml, and the client fetches Python and the
packages. FAISS and ONNX Runtime differ by system, so they cannot be packed for all. The same source
gives the same bytes. If `mcpb`, the tool of the format (npm: @anthropic-ai/mcpb), is installed, it
validates the manifest.
"""

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MANIFEST = ROOT / "tools" / "bundle" / "manifest.json"
BUNDLE = ROOT / "dist" / "blog-search-mcp.mcpb"
PROJECT = ("pyproject.toml", "README.md", "LICENSE")
"""Files that a build needs, since pyproject.toml names them."""
PACKAGE = "src/blog_search_mcp"
"""Folder of the package. Its links to `ingest`, `index` and `server` become copies in the ZIP."""

_DAY = (1980, 1, 1, 0, 0, 0)
"""Time of all files, the first that ZIP knows. With true times, each bundle would differ."""
_MODE = 0o644 << 16


def bundled(root: Path) -> dict[str, Path]:
    """Return the path of each file by its name in the bundle."""
    own = {
        file.relative_to(root).as_posix(): file
        for folder, _, names in os.walk(root / PACKAGE, followlinks=True)
        for file in sorted(Path(folder) / name for name in names)
        if file.parent.name != "__pycache__" and not file.name.startswith(".")
    }
    return {
        "manifest.json": MANIFEST,
        **{name: root / name for name in PROJECT},
        **dict(sorted(own.items())),
    }


def pack(files: dict[str, Path], target: Path) -> None:
    """Write the bundle, a ZIP of these files by name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files.items():
            info = zipfile.ZipInfo(name, _DAY)
            info.external_attr = _MODE
            archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)


def validated(tool: str) -> bool:
    """Validate the manifest with `tool`; return whether it is installed.

    Raises CalledProcessError if the manifest is wrong; the tool prints why.
    """
    found = shutil.which(tool)
    if found is None:
        return False
    subprocess.run([found, "validate", str(MANIFEST)], check=True)
    return True


def main() -> None:
    """Validate the manifest if `mcpb` is installed, pack the bundle, and report both."""
    parser = argparse.ArgumentParser(description="Pack the bundle for Claude Desktop.")
    parser.add_argument("--mcpb", default="mcpb", help="the format's own tool, to validate with")
    was_validated = validated(parser.parse_args().mcpb)
    pack(bundled(ROOT), BUNDLE)
    size = BUNDLE.stat().st_size / 2**20
    how = "validated" if was_validated else "not validated, since mcpb is not installed"
    sys.stdout.write(f"{BUNDLE.relative_to(ROOT)}: {size:.1f} MB, {how}.\n")


if __name__ == "__main__":
    main()
