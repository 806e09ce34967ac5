"""Nouns and seams: models, errors, protocols, and the text, URLs and tokens that every part handles."""
