"""Visible tree of an HTML page: parsing, style sheets, hidden text."""
