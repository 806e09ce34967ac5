"""Which parts of a page are its content, and what kind of page it is."""
