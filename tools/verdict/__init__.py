"""How the verdict is trained and measured: the pages, the short texts, the two models."""
