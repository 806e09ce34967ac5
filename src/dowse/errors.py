"""The errors of dowse, as programs import them; `dowse.core.errors` draws the tree."""

from dowse.core.errors import *
from dowse.core.wire_errors import *
