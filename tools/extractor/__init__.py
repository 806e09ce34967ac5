"""How the extractor is trained and measured: the pages, the metrics, the labels."""
