"""The nodes of a page as Markdown."""

from dowse.extract.html.render.page import render as render
