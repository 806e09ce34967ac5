"""arXiv: papers with their full text, and a search over abstracts."""
