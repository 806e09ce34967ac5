"""`python tools/train_verdict.py`: trains the model that tells notices from content.

`--check` trains and compares with the shipped file instead; `--folds` retrains per language and per template, and
judges the pages that each model has not seen by `score.py` of the interstitials.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

# One thread, so that sums are made in the same order every time.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.extractor import data as extractor_data  # noqa: E402
from tools.verdict import folds  # noqa: E402
from tools.verdict.data import examples, short_texts  # noqa: E402
from tools.verdict.training import fit_texts, train  # noqa: E402

SHIPPED = ROOT / "src" / "dowse" / "extract" / "verdict" / "model.bin"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="the folder that holds interstitials and wcxb-dev")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="where the model goes")
    parser.add_argument("--check", action="store_true", help="compare with the model instead of writing it")
    parser.add_argument(
        "--folds", nargs="*", choices=tuple(folds.GROUPS), help="measure on held-out languages and templates instead"
    )
    asked = parser.parse_args()
    began = time.monotonic()
    folder = extractor_data.folder(asked.data).parent
    pages, texts = examples(folder), short_texts(folder)
    print(f"{time.monotonic() - began:4.0f} s  {len(pages)} pages, {len(texts)} short texts", flush=True)
    if asked.folds is not None:
        folds.report(folder, pages, texts, asked.folds or tuple(folds.GROUPS))
        return 0
    written = train(pages, texts, lambda page: page.language, fit_texts(texts))
    print(f"{time.monotonic() - began:4.0f} s  {len(written):,} bytes", flush=True)
    if asked.check:
        is_same = written == asked.model.read_bytes()
        print("the model is reproduced" if is_same else "the model differs")
        return 0 if is_same else 1
    asked.model.write_bytes(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
