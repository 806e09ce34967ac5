"""The pinned figures can only improve, and each floor is held on the corpus it was measured on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.eval import corpora
from tests.realparts import missing
from tests.support import ratchet
from tests.support.code_measures import ratios
from tools import mutate

pytestmark = pytest.mark.promise("floors")

FILE = "floors.json"
Commit = Callable[[object], None]


@pytest.mark.parametrize("file", ratchet.PINNED)
def test_no_pinned_figure_is_worse_than_it_ever_was(file: str) -> None:
    ratchet.require_history()
    assert ratchet.offences(file) == []


def test_every_file_of_floors_is_pinned() -> None:
    found = {str(path.relative_to(ratchet.ROOT)) for path in (ratchet.ROOT / "tests").rglob("*floor*.json")}
    assert found | {"tests/architecture.json"} == set(ratchet.PINNED)


def test_the_coverage_gate_is_what_it_was() -> None:
    lines = (ratchet.ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    gates = [line.split("--fail-under=")[1] for line in lines if "--fail-under=" in line]
    assert gates == ["95", "100 --include='$(COVERED_WHOLE)'"]
    whole = " ".join(line for line in lines if line.startswith("COVERED_WHOLE"))
    assert all(f"src/dowse/{part}/*" in whole for part in ("net", "routing", "auth", "telemetry"))


def test_the_gates_name_present_modules_and_tests() -> None:
    """After a move a pattern of coverage would match nothing, and an equivalent mutant would be none."""
    root = ratchet.ROOT
    lines = (root / "Makefile").read_text(encoding="utf-8").splitlines()
    whole = [line.split(":= ")[1].split(",") for line in lines if line.startswith("COVERED_WHOLE")]
    patterns = [pattern for patterns in whole for pattern in patterns if not pattern.startswith("$")]
    assert [pattern for pattern in patterns if not any(root.glob(pattern))] == []
    tests = [test for tests in mutate.SUBJECTS.values() for test in tests]
    assert [path for path in (*mutate.SUBJECTS, *tests) if not (root / path).is_file()] == []
    excused = json.loads(mutate.FLOOR.read_text(encoding="utf-8"))["equivalent"]
    for path, names in excused.items():
        source = (root / path).read_text(encoding="utf-8")
        assert [name for name in names if name.split(" | ")[0] not in source] == []
    assert excused.keys() <= mutate.SUBJECTS.keys()


def test_every_exception_is_in_force_and_has_a_reason() -> None:
    for each in ratchet.exceptions(ratchet.LOWERED.read_text(encoding="utf-8")):
        assert each.file in ratchet.PINNED
        assert ratchet.figures((ratchet.ROOT / each.file).read_text(encoding="utf-8")).get(each.key) == each.now
        assert len(each.reason.split()) > 5


@pytest.mark.parametrize("name", corpora.pinned())
def test_a_corpus_is_the_one_that_its_floors_were_measured_on(name: str) -> None:
    """After a change on purpose: `python -m tests.eval.corpora` prints the hashes for floors.json."""
    if not corpora.place(name).exists():
        missing(f"{corpora.place(name)} is missing; name the folder of evaluation data in DOWSE_EVAL_DATA")
    assert corpora.digest(corpora.place(name)) == corpora.pinned()[name]


def test_the_ratios_of_the_code_base_are_no_worse_than_pinned() -> None:
    src = ratchet.ROOT / "src"
    pinned = ratchet.figures((ratchet.ROOT / "tests" / "architecture.json").read_text(encoding="utf-8"))
    assert ratchet.worse(pinned, ratios(sorted(src.rglob("*.py")), src)) == {}


@pytest.fixture
def commit(tmp_path: Path) -> Commit:
    """Commits a value as the pinned file of a repository in the test's directory."""
    _git("init", "--quiet")
    (tmp_path / "lowered.md").write_text("")

    def run(value: object) -> None:
        (tmp_path / FILE).write_text(json.dumps(value))
        _git("add", FILE)
        _git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message=x")

    return run


def test_a_figure_below_the_highest_of_the_history_is_an_offence(commit: Commit, tmp_path: Path) -> None:
    """Also in two steps, and in the working tree before it is committed."""
    commit({"f1": 0.8, "noise_at_most": 0.1})
    commit({"f1": 0.9, "noise_at_most": 0.05})
    commit({"f1": 0.9, "noise_at_most": 0.05, "other": 1})
    assert _offences(tmp_path) == []
    (tmp_path / FILE).write_text(json.dumps({"f1": 0.85, "noise_at_most": 0.07, "other": 1}))
    assert [offence.split(";")[0] for offence in _offences(tmp_path)] == [
        "floors.json: f1 was 0.9 and is 0.85",
        "floors.json: noise_at_most was 0.05 and is 0.07",
    ]


def test_a_figure_that_is_gone_is_an_offence(commit: Commit, tmp_path: Path) -> None:
    commit({"kinds": {"forum": 0.8}})
    commit({"kinds": {}})
    assert [offence.split(";")[0] for offence in _offences(tmp_path)] == [
        "floors.json: kinds.forum was 0.8 and is None"
    ]


def test_a_corpus_that_is_no_longer_pinned_is_an_offence(commit: Commit, tmp_path: Path) -> None:
    commit({"corpora": {"pages": "a1b2"}})
    commit({"corpora": {}})
    assert len(_offences(tmp_path)) == 1
    row = "| `floors.json` | `corpora.pages` | 1 | gone | The pages are part of another corpus now. |"
    (tmp_path / "lowered.md").write_text(row + "\n")
    assert _offences(tmp_path) == []


def test_a_renamed_file_keeps_its_history(commit: Commit, tmp_path: Path) -> None:
    filler = {f"figure_{number}": number for number in range(20)}
    commit({"f1": 0.9, **filler})
    _git("mv", FILE, "renamed.json")
    _git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message=y")
    (tmp_path / "renamed.json").write_text(json.dumps({"f1": 0.8, **filler}))
    assert len(ratchet.offences("renamed.json", tmp_path, tmp_path / "lowered.md")) == 1


def test_a_reason_allows_exactly_the_figure_that_it_names(commit: Commit, tmp_path: Path) -> None:
    commit({"f1": 0.9})
    commit({"f1": 0.85})
    row = "| `floors.json` | `f1` | 0.9 | 0.85 | The corpus has harder pages now. |"
    (tmp_path / "lowered.md").write_text(row + "\n")
    assert _offences(tmp_path) == []
    (tmp_path / FILE).write_text(json.dumps({"f1": 0.84}))
    assert len(_offences(tmp_path)) == 1


def test_a_shallow_clone_has_no_history_to_compare_with(
    commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit({"f1": 0.9})
    commit({"f1": 0.8})
    _git("clone", "--quiet", "--depth=1", f"file://{tmp_path}", "shallow")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="shallow clone"):
        ratchet.require_history(tmp_path / "shallow")


def test_another_file_or_another_byte_is_another_corpus(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.html").write_text("one")
    before = corpora.digest(tmp_path / "corpus")
    (tmp_path / "corpus" / "b.html").write_text("")
    with_another_file = corpora.digest(tmp_path / "corpus")
    (tmp_path / "corpus" / "b.html").unlink()
    (tmp_path / "corpus" / "a.html").write_text("two")
    assert len({before, with_another_file, corpora.digest(tmp_path / "corpus")}) == 3


def _offences(root: Path) -> list[str]:
    return ratchet.offences(FILE, root, root / "lowered.md")


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)
