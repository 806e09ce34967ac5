"""What wires share about searches: time filters, dates, the patience of callers, warnings."""

import pytest

from dowse.contracts.wires.searching import (
    american_date,
    iso_date,
    parse_tbs,
    patience_s,
    warning_headers,
    warnings_of,
)
from dowse.core.errors import InvalidRequest
from dowse.core.models import TimeRange


def test_time_filters_as_google_writes_them() -> None:
    assert parse_tbs("qdr:w") == (TimeRange.WEEK, "", "")
    assert parse_tbs("qdr:h,sbd:1") == (TimeRange.DAY, "", "")
    assert parse_tbs("cdr:1,cd_min:1/31/2026,cd_max:12/1/2026") == (TimeRange.ANY, "2026-01-31", "2026-12-01")
    assert parse_tbs("") == (TimeRange.ANY, "", "")
    with pytest.raises(InvalidRequest, match="tbs"):
        parse_tbs("cd_min:99/99/2026")


def test_dates_come_out_in_iso_form() -> None:
    assert iso_date("d", "2026-1-5") == iso_date("d", "2026-01-05T10:00:00Z") == "2026-01-05"
    assert american_date("d", "1/5/2026") == "2026-01-05"
    assert (iso_date("d", ""), american_date("d", "")) == ("", "")
    for wrong in ("soon", "2026-13-40", "5/5"):
        with pytest.raises(InvalidRequest, match="d must be a date"):
            american_date("d", wrong)


def test_an_answer_has_time_to_arrive_before_its_caller_leaves() -> None:
    assert patience_s(None) is None
    assert patience_s(7.5) == 7.0
    assert patience_s(1.0) == pytest.approx(0.9)
    assert patience_s(0.001) == 0.2


def test_warnings_fit_into_a_header_whatever_they_hold() -> None:
    warnings = warnings_of(["images"], ["größer\r\nSet-Cookie: x=1", '"quoted"'], ['"quoted"'])
    assert len(warnings) == 3
    (value,) = warning_headers(warnings).values()
    assert value == "without effect here: images; gr\\u00f6\\u00dfer Set-Cookie: x=1; 'quoted'"
    assert warning_headers(()) == {}
    (long,) = warning_headers(["ü" * 5000]).values()
    assert len(long) <= 1000
    assert long.isascii()
