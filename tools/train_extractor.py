"""`python tools/train_extractor.py`: trains the model that tells content from the rest.

Trained on WCXB dev by Murrough Foley (CC-BY-4.0). Besides the model that is shipped, one is made for each fold that
has not seen the hosts of that fold: `benchmarks/extraction.py` reads every page with the one that does not know it.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

# One thread each, so that sums are made in the same order every time.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from dowse.extract.html.content.features import KINDS  # noqa: E402
from dowse.extract.html.content.forum import weigh_url  # noqa: E402
from tools.extractor import data, training  # noqa: E402
from tools.extractor.dataset import Example, examples  # noqa: E402
from tools.extractor.network import train_network  # noqa: E402

SHIPPED = ROOT / "src" / "dowse" / "extract" / "html" / "content" / "model.npz"
FOLDS = ROOT / "tests" / "eval" / "folds"
_WORKERS = 2
# Two networks that began differently know more together than one.
_NETWORK_SEEDS = (7, 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="the folder that holds wcxb-dev")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="where the model goes")
    parser.add_argument("--folds", type=Path, default=FOLDS, help="where the models of the folds go")
    asked = parser.parse_args()
    began = time.monotonic()
    pages = examples(list(data.samples(data.folder(asked.data))))
    _say(began, f"{len(pages)} pages, {sum(len(page.blocks) for page in pages)} blocks")
    _guess_kinds(pages)
    right = np.mean([int(np.argmax(page.kinds)) == page.kind for page in pages])
    _say(began, f"kind of page, out of fold: {right:.3f} right")
    asked.folds.mkdir(parents=True, exist_ok=True)
    parts = {
        asked.folds / f"fold-{fold}.npz": [page for page in pages if page.fold != fold] for fold in range(data.FOLDS)
    }
    parts[asked.model] = pages
    with ProcessPoolExecutor(_WORKERS, mp_context=get_context("fork")) as workers:
        for path in workers.map(_train, parts, parts.values()):
            _say(began, f"{path.stat().st_size / 1e6:.2f} MB  {path}")
    _say(began, "now run `make bench`")


def _guess_kinds(pages: list[Example]) -> None:
    """Give each page the kinds that a model guesses which has not seen its host, as it will be for new pages."""
    for fold in range(data.FOLDS):
        model = training.train_kinds([page for page in pages if page.fold != fold])
        for page in pages:
            if page.fold == fold:
                page.kinds = weigh_url(model.predict(page.page[None, :])[0], page.url).astype(np.float32)


def _train(path: Path, pages: list[Example]) -> Path:
    arrays = {
        **training.arrays_of(training.train_kinds(pages), "kinds", len(KINDS)),
        **training.arrays_of(training.train_blocks(pages), "blocks"),
        **training.arrays_of(training.train_threads(pages), "threads"),
    }
    for number, seed in enumerate(_NETWORK_SEEDS):
        trained = train_network(pages, seed)
        arrays |= {f"network{number}_{name}": value for name, value in trained.items()}
    written = io.BytesIO()
    np.savez_compressed(written, allow_pickle=False, **arrays)
    path.write_bytes(written.getvalue())
    return path


def _say(began: float, what: str) -> None:
    print(f"{time.monotonic() - began:6.0f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
