"""The errors of dowse, as programs import them; `dowse.core.errors` draws the tree."""

from dowse.core.errors import *  # noqa: F403  # every error is public
