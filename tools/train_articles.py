"""`python tools/train_articles.py`: trains the second classifier on articles.

Trained on WCXB dev by Murrough Foley (CC-BY-4.0), and on copies of its articles with comments, other stories and boxes
around them, on top of the models of the folds that `tools/train_extractor.py` made. Besides the model that is shipped,
one is made for each fold that has not seen the hosts of that fold.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.extractor import articles, data  # noqa: E402
from tools.extractor.surroundings import with_surroundings  # noqa: E402

SHIPPED = ROOT / "src" / "dowse" / "extract" / "html" / "content" / "articles.npz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="", help="the folder that holds wcxb-dev")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="where the model goes")
    parser.add_argument("--folds", type=Path, default=articles.FOLDS, help="where the models of the folds go")
    asked = parser.parse_args()
    began = time.monotonic()
    samples = list(data.samples(data.folder(asked.data)))
    pages = articles.examples([*samples, *with_surroundings(samples)])
    print(f"{time.monotonic() - began:6.0f} s  {len(pages)} pages", flush=True)
    asked.folds.mkdir(parents=True, exist_ok=True)
    parts = {asked.model: pages}
    for fold in range(data.FOLDS):
        parts[asked.folds / f"articles-{fold}.npz"] = [page for page in pages if page.fold != fold]
    for path, chosen in parts.items():
        written = io.BytesIO()
        np.savez_compressed(written, allow_pickle=False, **articles.train(chosen))
        path.write_bytes(written.getvalue())
        print(f"{time.monotonic() - began:6.0f} s  {path.stat().st_size / 1e6:.2f} MB  {path}", flush=True)


if __name__ == "__main__":
    main()
