"""What is shipped to run many replicas agrees with the program: compose.yaml, Dockerfile, nginx, Kubernetes."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis

from dowse import __version__
from dowse.settings import Settings, sources
from dowse.surfaces.http import serve
from dowse.surfaces.http.mcp import MAX_BODY_BYTES
from tests.balancer import CONFIGURATION
from tests.conftest import Server
from tests.doubles import closed_port
from tests.valkey import started

ROOT = Path(__file__).resolve().parent.parent.parent
NGINX = CONFIGURATION.read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return parsed


@pytest.fixture(scope="module")
def kubernetes() -> dict[tuple[str, str], dict[str, Any]]:
    """The objects by kind and name."""
    found = yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text(encoding="utf-8"))
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def seconds(directive: str) -> float:
    (value,) = set(re.findall(rf"^\s+{directive} (\d+)s;", NGINX, re.MULTILINE))
    return float(value)


def test_no_service_can_write_gain_privileges_or_be_root(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    users = [compose["services"]["balancer"]["user"], compose["services"]["valkey"]["user"]]
    users += re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert len(users) == 3
    assert all(re.fullmatch(r"[1-9]\d*:[1-9]\d*", user) for user in users)


def test_the_replicas_settings_are_settings_and_fit_the_balancer(compose: dict[str, Any]) -> None:
    replica, networks = compose["services"]["dowse"], compose["networks"]
    assert replica["env_file"] == [".env"]
    loaded = sources.load({}, {**replica["environment"], "DOWSE_TOKENS": "ana:a-token-of-ana-that-is-long-enough"})
    assert loaded.warnings == ()
    assert f"server dowse:{loaded.settings.port} resolve" in NGINX
    (subnet,) = networks["front"]["ipam"]["config"]
    assert loaded.settings.trusted_proxies == (str(ipaddress.ip_network(subnet["subnet"])),)
    assert networks["back"] == {"internal": True}
    reach_the_store = [name for name, service in compose["services"].items() if "back" in service["networks"]]
    assert reach_the_store == ["dowse", "valkey"]


def test_no_call_is_cut_short(compose: dict[str, Any]) -> None:
    """Each waits longer than what it waits for."""
    assert float(compose["services"]["dowse"]["stop_grace_period"].removesuffix("s")) > serve.DRAIN_S
    deadline_s = Settings.model_fields["deadline_s"].default
    assert seconds("proxy_read_timeout") > float(str(deadline_s).removesuffix("s"))
    assert f"client_max_body_size {MAX_BODY_BYTES // 1024**2}m;" in NGINX
    upstream = NGINX[NGINX.index("upstream") : NGINX.index("client_max_body_size")]
    (kept,) = re.findall(r"keepalive_timeout (\d+)s;", upstream)
    assert float(kept) < serve._config(lambda *_: None, serve.ConnectionLimit()).timeout_keep_alive


def test_the_store_takes_its_options(compose: dict[str, Any]) -> None:
    command = compose["services"]["valkey"]["command"]
    assert command[0] == "valkey-server"
    # That one the tests switch off for themselves, where it is not what they are about.
    assert "--appendonly yes" in command
    wanted = {"appendfsync": "always", "save": "", "maxmemory-policy": "volatile-ttl", "maxmemory": str(512 * 1024**2)}
    with started(*command[1:]) as valkey, Redis(port=valkey.port) as client:
        known = client.config_get("*")
    assert {name: known[name] for name in wanted} == wanted


def test_the_image_is_made_of_files_that_are_there_and_let_through() -> None:
    let_through = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    assert sorted(copied) == sorted(let_through)
    assert all((ROOT / source).exists() for source in copied)


async def test_the_health_check_of_the_image_asks_the_listening_server(server: Server) -> None:
    (check,) = re.findall(r"^HEALTHCHECK [^\[]*(\[.*?\])$", DOCKERFILE.replace("\\\n", ""), re.MULTILINE)
    command, *arguments = json.loads(check)
    assert command == "python"

    async def exit_code(port: str) -> int:
        # Somebody who is in the way must not be asked.
        settings = {"DOWSE_PORT": port, "http_proxy": f"http://127.0.0.1:{closed_port()}"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, env={**os.environ, **settings}, stderr=asyncio.subprocess.DEVNULL
        )
        return await asyncio.wait_for(process.wait(), 30)

    async with server.here({"DOWSE_ALLOWED_HOSTS": "search.example.org"}) as http:
        assert await exit_code(http.origin.rpartition(":")[2]) == 0
    assert await exit_code(str(closed_port())) == 1


def test_the_image_installs_what_is_locked_from_whichever_registry_there_is() -> None:
    assert "--require-hashes -r requirements/run.txt" in DOCKERFILE
    assert not re.search(r"index-url|find-links|https?://(?!127\.0\.0\.1)", DOCKERFILE)


# Kubernetes; tests/slow/clients checks the manifests against its schemas.

Objects = dict[tuple[str, str], dict[str, Any]]


def pod(found: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = found["spec"]["template"]["spec"]
    return spec


def test_the_pods_are_configured_as_the_services_of_compose(kubernetes: Objects, compose: dict[str, Any]) -> None:
    (replica,) = pod(kubernetes["Deployment", "dowse"])["containers"]
    (valkey,) = pod(kubernetes["StatefulSet", "dowse-valkey"])["containers"]
    services = compose["services"]
    assert valkey["image"] == services["valkey"]["image"]
    assert valkey["args"] == services["valkey"]["command"]
    assert kubernetes["Deployment", "dowse"]["spec"]["replicas"] == services["dowse"]["deploy"]["replicas"]
    assert replica["image"] == f"dowse:{__version__}"
    assert replica["args"] == json.loads(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[-1])
    settings = {each["name"]: each["value"] for each in replica["env"]}
    loaded = sources.load({}, {**settings, "DOWSE_TOKENS": "ana:a-token-of-ana-that-is-long-enough"})
    assert loaded.warnings == ()
    (port,) = replica["ports"]
    assert loaded.settings.port == port["containerPort"]
    store = kubernetes["Service", "dowse-valkey"]
    assert settings["DOWSE_STATE"] == f"redis://dowse-valkey:{store['spec']['ports'][0]['port']}/0"
    assert settings["DOWSE_ALLOWED_HOSTS"] == kubernetes["Service", "dowse"]["metadata"]["name"]


def test_every_selector_finds_the_pods_it_is_for(kubernetes: Objects) -> None:
    labels = {
        name: found["spec"]["template"]["metadata"]["labels"]
        for (kind, name), found in kubernetes.items()
        if kind in ("Deployment", "StatefulSet")
    }
    for (kind, name), found in kubernetes.items():
        selector = found["spec"].get("podSelector") or found["spec"]["selector"]
        assert selector.get("matchLabels", selector) == labels[name], (kind, name)
    (rule,) = kubernetes["NetworkPolicy", "dowse-valkey"]["spec"]["ingress"]
    assert [each["podSelector"]["matchLabels"] for each in rule["from"]] == [labels["dowse"]]


def test_no_pod_is_root_writes_elsewhere_or_knows_the_cluster(kubernetes: Objects) -> None:
    for key in (("Deployment", "dowse"), ("StatefulSet", "dowse-valkey")):
        spec = pod(kubernetes[key])
        (container,) = spec["containers"]
        assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert spec["automountServiceAccountToken"] is False
        # With links, the service `dowse` would set DOWSE_PORT to an address.
        assert spec["enableServiceLinks"] is False
    user = re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)[0]
    context = pod(kubernetes["Deployment", "dowse"])["securityContext"]
    assert (str(context["runAsUser"]), str(context["runAsGroup"])) == user


async def test_the_probes_ask_what_is_there_and_a_pod_has_time_to_end(kubernetes: Objects, server: Server) -> None:
    spec = pod(kubernetes["Deployment", "dowse"])
    (container,) = spec["containers"]
    pause_s = float(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert spec["terminationGracePeriodSeconds"] > pause_s + serve.DRAIN_S
    probes = [container[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    async with server.here({"DOWSE_ALLOWED_HOSTS": "dowse"}) as http:
        for path in probes:
            async with http.session.get(http.origin + path) as response:
                assert response.status == 200, path
