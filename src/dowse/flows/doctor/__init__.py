"""Checks of `dowse doctor`: the state of each part, the reason, and the fix."""
