"""examples/servers: the files name what the project has, and agree with each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import mock

import pytest
import yaml

from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.server.http.pages import HEALTH
from blog_search_mcp.server.http.serve import GRACE
from tests.support.front import command, served
from tests.support.paths import ROOT

FOLDER = ROOT / "examples" / "servers"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
OBJECTS: dict[str, Any] = {
    each["kind"]: each
    for each in yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8"))
}
ON_MILVUS: dict[str, Any] = yaml.safe_load(
    (FOLDER / "compose.milvus.yaml").read_text(encoding="utf-8")
)
OBJECTS_ON_MILVUS: dict[str, Any] = {
    each["kind"]: each
    for each in yaml.safe_load_all((FOLDER / "kubernetes.milvus.yaml").read_text(encoding="utf-8"))
}
POD = OBJECTS["Deployment"]["spec"]["template"]["spec"]
[CONTAINER] = POD["containers"]
SERVERS = [COMPOSE["services"][name]["command"] for name in ("blog-1", "blog-2")]


def ingested(*words: str, env: Mapping[str, str] | None = None) -> str:
    """The index that an ingest would write."""
    with mock.patch("blog_search_mcp.ingest.cli.run", return_value=0) as run:
        assert command(*words, env=env).status == 0
    job: Job = run.call_args.args[0]
    return str(job.index)


@pytest.mark.parametrize("arguments", [*SERVERS, CONTAINER["args"]])
def test_each_server_is_started_as_it_can_be(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "blog_search_mcp.server.http.settings._read_file"
    monkeypatch.setattr(name, lambda _file: "0123456789abcdef")
    settings, address, access = served(*arguments, env={"BLOG_INDEX": "/index"})
    assert str(settings.index) == "/index"
    assert address is not None
    assert (address.port, address.is_any) == (8765, True)
    assert access.names


def test_each_ingest_writes_the_index_that_the_servers_mount_read_only() -> None:
    services = COMPOSE["services"]
    job = OBJECTS["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    for program, *given in (services["ingest"]["entrypoint"], job["containers"][0]["command"]):
        assert program == "blog-search-mcp"
        assert ingested(*given, env={"BLOG_INDEX": "/index"}) == "/index"
    assert "index:/index" in services["ingest"]["volumes"]
    assert services["blog-1"]["volumes"] == services["blog-2"]["volumes"] == ["index:/index:ro"]
    index = {"name": "index", "mountPath": "/index", "readOnly": True}
    assert index in CONTAINER["volumeMounts"]
    claims = [
        volume["persistentVolumeClaim"]["claimName"]
        for spec in (POD, job)
        for volume in spec["volumes"]
        if volume["name"] == "index"
    ]
    assert claims == [OBJECTS["PersistentVolumeClaim"]["metadata"]["name"]] * 2


def test_a_server_is_given_the_time_that_it_takes_to_drain() -> None:
    assert int(COMPOSE["services"]["blog-1"]["stop_grace_period"].removesuffix("s")) > GRACE
    pause = CONTAINER["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert POD["terminationGracePeriodSeconds"] > GRACE + pause
    assert CONTAINER["readinessProbe"]["httpGet"] == {"path": HEALTH, "port": 8765}


MILVUS = "milvus://milvus:19530/blog"
POD_ON_MILVUS = OBJECTS_ON_MILVUS["Deployment"]["spec"]["template"]["spec"]["containers"][0]


@pytest.mark.parametrize(
    "arguments",
    [ON_MILVUS["services"]["blog-1"]["command"], POD_ON_MILVUS["args"]],
)
def test_each_server_on_milvus_is_started_as_it_can_be(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "blog_search_mcp.server.http.settings._read_file"
    monkeypatch.setattr(name, lambda _file: "0123456789abcdef")
    settings, address, _ = served(*arguments)
    assert address is not None
    assert (str(settings.index), address.is_any) == (MILVUS, True)
