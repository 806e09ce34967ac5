"""Settings of ranking: whose pages are preferred, and how passages are chosen."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from dowse.settings_types import SitePatterns, setting


class RankingSettings(BaseModel):
    """The part of `Settings` that decides about the order of results and what is shown of them."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    boost: SitePatterns = setting(
        "", "DOWSE_BOOST", about="Sites whose results move up a little, such as `docs.python.org,*.gov`."
    )
    bury: SitePatterns = setting("", "DOWSE_BURY", about="Sites whose results are sorted down, with the reason.")
    block: SitePatterns = setting("", "DOWSE_BLOCK", about="Sites whose results are left out.")
    semantic: Literal["auto", "off"] = setting(
        "auto", "DOWSE_SEMANTIC", about="Whether meaning helps to choose passages where `dowse[semantic]` is installed."
    )
