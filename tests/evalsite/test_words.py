"""Names that may break: the same text, with places to break where it is long."""

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsite.templatetags.words import LONG, breakable


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("c01_beijing_4d_cny_peak", "c01_<wbr>beijing_<wbr>4d_<wbr>cny_<wbr>peak"),
        ("trip-agent@2026-02-28", "trip-<wbr>agent@<wbr>2026-<wbr>02-<wbr>28"),
        ("a" * LONG, "a" * LONG),
        ("a_" * (LONG // 2), "a_" * (LONG // 2)),
        ("__a-long-name-of-it--", "__<wbr>a-<wbr>long-<wbr>name-<wbr>of-<wbr>it--"),
        ("a_<script>_and_more_of_it", "a_<wbr>&lt;script&gt;_<wbr>and_<wbr>more_<wbr>of_<wbr>it"),
        ("", ""),
    ],
)
def test_a_long_name_may_break_after_its_signs(name: str, html: str) -> None:
    assert breakable(name) == html


@given(st.text(max_size=60))
def test_a_name_is_the_same_without_its_breaks(name: str) -> None:
    html = breakable(name)
    assert html == name if len(name) <= LONG else unescape(html.replace("<wbr>", "")) == name
