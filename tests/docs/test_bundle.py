"""The bundle for Claude Desktop and the plugin of Claude Code say what the project is."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from blog_search_mcp import __version__
from tools.make_bundle import MANIFEST, ROOT, bundled

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROJECT["version"] = __version__
SAID: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))


def test_the_manifest_says_what_pyproject_says() -> None:
    shared = ("name", "version", "description", "license", "keywords")
    assert {key: SAID[key] for key in shared} == {key: PROJECT[key] for key in shared}
    assert SAID["compatibility"]["runtimes"] == {"python": PROJECT["requires-python"]}
    assert (SAID["manifest_version"], SAID["server"]["type"]) == ("0.4", "uv")


def test_the_bundle_starts_our_console_script_in_its_own_folder() -> None:
    started = SAID["server"]["mcp_config"]
    run, script = started["args"][:3], started["args"][3]
    assert [started["command"], *run] == ["uv", "run", "--directory", "${__dirname}"]
    module = PROJECT["scripts"][script].partition(":")[0]
    assert SAID["server"]["entry_point"] == f"src/{module.replace('.', '/')}.py"
    assert started["args"][4:] == ["serve", "--watch", "${user_config.posts}"]


def test_every_question_to_the_person_is_used_and_each_one_used_is_asked() -> None:
    used = set(re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(SAID["server"])))
    assert used == set(SAID["user_config"])
    assert SAID["user_config"]["posts"]["type"] == "directory"
    assert [name for name, asked in SAID["user_config"].items() if asked["required"]] == ["posts"]


def test_the_plugin_starts_our_console_script_on_the_folder_that_it_asks_for() -> None:
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    started, bundle = plugin["mcpServers"]["blog"], SAID["server"]["mcp_config"]
    assert started["args"][-4:] == bundle["args"][-4:]
    assert [*(ROOT / plugin["skills"]).glob("*/SKILL.md")]


def test_the_bundle_holds_what_a_build_needs_and_nothing_that_a_run_leaves() -> None:
    files = bundled(ROOT)
    tops = {Path(name).parts[0] for name in files}
    assert tops == {"manifest.json", "pyproject.toml", PROJECT["readme"], "LICENSE", "src"}
    assert "src/blog_search_mcp/index/embedders/models/all-MiniLM-L6-v2/tokenizer.json" in files
    assert [name for name in files if "__pycache__" in name] == []
