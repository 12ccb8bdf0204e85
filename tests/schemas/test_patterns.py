"""Strangers' patterns: ECMAScript's, as far as a time linear in the text allows."""

from __future__ import annotations

import pytest

from lineup_srv.schemas import can_match
from lineup_srv.schemas.patterns import matches


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "abc\n", False),
        ("b", "abc", True),
        (r"^[\u4e00-\u9fa5]+$", "画板", True),
        (r"^\u{1F600}$", "😀", True),
        (r"^\\u4e00$", r"\u4e00", True),
        (r"^\p{L}+$", "Ünïcode", True),
        (r"^\d+$", "١٢", False),
        (r"^https?:\/\/", "https://x", True),
        ("", "", True),
    ],
)
def test_a_pattern_means_what_it_means_in_a_browser(pattern: str, text: str, found: bool) -> None:
    assert can_match(pattern)
    assert matches(pattern, text) is found


@pytest.mark.parametrize(
    "pattern", ["(", "(?=a)", "(?<!a)", r"(a)\1", "a{1001}", "((a{100}){100}){100}", r"\u{110000}"]
)
def test_what_cannot_be_matched_in_bounded_time_is_said_so(
    pattern: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert not can_match(pattern)
    assert capfd.readouterr().err == ""
