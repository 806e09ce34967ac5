"""Wires: the APIs of other vendors, one file each, that adapt their requests and replies to the flows."""
