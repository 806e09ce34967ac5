"""Several servers of one kind: which exist, which are well, whose turn it is, and who is left alone for a while."""
