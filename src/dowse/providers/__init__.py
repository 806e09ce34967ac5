"""Vendors: one file each, with nothing in it but the request and the meaning of the answer."""
