"""Where a clone came from, asked of git."""

import json
import subprocess
from pathlib import Path

from dowse.surfaces.clients import Installation, read_installation


def test_a_clone_names_its_origin_as_the_source_to_install_from(tmp_path: Path) -> None:
    clone = tmp_path / "outer" / "my clone"
    record = json.dumps({"url": clone.as_uri(), "dir_info": {"editable": True}})
    for folder in (clone.parent, clone):
        subprocess.run(["git", "init", "--quiet", folder], check=True)
    add = ["git", "-C", clone, "remote", "add", "origin", "https://ana:secret@host.example/team/dowse.git"]
    subprocess.run(["git", "-C", clone.parent, *add[3:-1], "https://host.example/other.git"], check=True)
    assert read_installation(record) == Installation(is_clone=True, source="")
    subprocess.run(add, check=True)
    assert read_installation(record) == Installation(is_clone=True, source="git+https://host.example/team/dowse.git")
