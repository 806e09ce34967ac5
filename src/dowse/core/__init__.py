"""Domain types that all parts share: models, errors, protocols; and the handling of text, URLs and tokens."""
