"""The nodes of a page as Markdown."""

from dowse.extract.render.page import render as render
