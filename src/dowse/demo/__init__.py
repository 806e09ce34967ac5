"""The web of `dowse demo` on loopback: a few pages, and doubles of two search providers."""

from dowse.demo.web import DemoWeb

__all__ = ["DemoWeb"]
