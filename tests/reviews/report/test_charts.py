"""Charts: well-formed, inside their frame and free of nonsense, whatever goes in."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.report import charts
from reviews.report.charts import (
    LevelCount,
    Release,
    Span,
)
from reviews.report.labels import fit, fit_apart, measure_width
from tests.bed import soak

EXAMPLES = soak.size(short=30, long=5_000)
SVG = "{http://www.w3.org/2000/svg}"

WORDS = st.text(st.characters(), max_size=40)
ANY = st.none() | st.floats() | st.floats(-1, 6)
COUNTS = st.integers(0, 10**9)
SPANS = st.builds(Span, ANY, ANY, ANY, WORDS)
FLOORS = st.none() | SPANS
SCALES = st.tuples(st.integers(-3, 3), st.integers(1, 30)).map(lambda one: (one[0], sum(one)))


def drawn(chart: charts.Chart) -> str:
    return render_to_string(chart["template"], {"chart": chart})


def levels(low: int, high: int) -> st.SearchStrategy[list[LevelCount]]:
    values = range(low, high + 1)
    return st.tuples(*(st.builds(LevelCount, st.just(one), COUNTS, WORDS) for one in values)).map(
        list
    )


EVERY_CHART: st.SearchStrategy[str] = st.one_of(
    SCALES.flatmap(
        lambda scale: st.builds(
            charts.distribution, levels(*scale), label=WORDS, mean=FLOORS, floor=FLOORS
        )
    ),
    SCALES.flatmap(
        lambda scale: st.builds(
            charts.trend,
            st.lists(st.builds(Release, WORDS, st.sampled_from("ab"), SPANS), max_size=6),
            low=st.just(scale[0]),
            high=st.just(scale[1]),
            label=WORDS,
            floor=FLOORS,
        )
    ),
    st.builds(
        charts.interval,
        SPANS,
        low=st.sampled_from([-2.0, 0.0]),
        high=st.just(5.0),
        label=WORDS,
        floor=FLOORS,
    ),
).map(drawn)


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def marks_of(svg: str) -> Iterator[ElementTree.Element]:
    yield from (one for one in read(svg).iter() if one.tag != f"{SVG}svg")


def corners_of(mark: ElementTree.Element) -> Iterator[tuple[float, float]]:
    at = {key: float(value) for key, value in mark.attrib.items() if key in PLACES}
    if mark.tag == f"{SVG}rect":
        yield at["x"], at["y"]
        yield at["x"] + at["width"], at["y"] + at["height"]
    elif mark.tag == f"{SVG}line":
        yield at["x1"], at["y1"]
        yield at["x2"], at["y2"]
    elif mark.tag == f"{SVG}circle":
        yield at["cx"] - at["r"], at["cy"] - at["r"]
        yield at["cx"] + at["r"], at["cy"] + at["r"]
    elif mark.tag == f"{SVG}text":
        said = mark.text or ""
        wide = measure_width(said, float(mark.attrib["font-size"])) if len(said) > 6 else 0.0
        left = at["x"] - wide * {"start": 0, "middle": 0.5, "end": 1}[mark.attrib["text-anchor"]]
        yield left, at["y"]
        yield left + wide, at["y"]


PLACES = {"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height"}


@settings(max_examples=EXAMPLES, deadline=None)
@given(EVERY_CHART)
def test_any_input_gives_a_whole_chart(svg: str) -> None:
    root = read(svg)
    assert root.attrib["role"] == "img"
    _left, _top, width, height = (float(one) for one in root.attrib["viewBox"].split())
    for mark in marks_of(svg):
        for x, y in corners_of(mark):
            assert -0.02 <= x <= width + 0.02, ElementTree.tostring(mark)
            assert -0.02 <= y <= height + 0.02, ElementTree.tostring(mark)


@settings(max_examples=EXAMPLES, deadline=None)
@given(EVERY_CHART)
def test_no_mark_is_without_colour_and_none_is_no_number(svg: str) -> None:
    for mark in marks_of(svg):
        assert "style" not in mark.attrib
        if mark.tag in (f"{SVG}rect", f"{SVG}circle", f"{SVG}text"):
            assert mark.attrib["fill"].startswith("#")
        if mark.tag == f"{SVG}line":
            assert mark.attrib["stroke"].startswith("#")
        for name in PLACES.intersection(mark.attrib):
            assert re.fullmatch(r"-?\d+(\.\d+)?", mark.attrib[name]), (name, mark.attrib[name])


def titles(svg: str) -> list[str]:
    return [one.text or "" for one in read(svg).iter(f"{SVG}title")]


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in read(svg).iter(f"{SVG}text")]


def circles(svg: str) -> list[float]:
    return [float(one.attrib["cx"]) for one in read(svg).iter(f"{SVG}circle")]


def test_levels_that_nobody_gave_stand_there_with_a_zero() -> None:
    given = [
        LevelCount(value, count, f"{value}x") for value, count in enumerate([0, 0, 3, 0, 9, 1])
    ]
    svg = drawn(charts.distribution(given, label="Usability"))
    assert texts(svg) == ["0", "0", "0", "1", "3", "2", "0", "3", "9", "4", "1", "5"]
    assert titles(svg) == ["0x", "1x", "2x", "3x", "4x", "5x"]


def test_an_interval_is_drawn_only_where_there_is_one() -> None:
    with_one = charts.interval(Span(4.0, 3.5, 4.5), low=0, high=5, label="")
    without = charts.interval(Span(4.0), low=0, high=5, label="")
    assert "c-accent" in drawn(with_one)
    assert "c-accent" not in drawn(without)


def test_the_line_breaks_where_the_yardstick_changes() -> None:
    def joins(*yardsticks: str) -> int:
        spans = [Release(f"r{n}", one, Span(4.0)) for n, one in enumerate(yardsticks)]
        svg = drawn(charts.trend(spans, low=0, high=5, label=""))
        return len(re.findall(r'<line class="c-soft"', svg))

    assert joins("v1", "v1", "v1") == 2
    assert joins("v1", "v1", "v2") == 1
    assert joins("v1", "v2", "v1") == 0


def test_larger_values_stand_further_to_the_right() -> None:
    spans = [Release(f"r{n}", "", Span(value)) for n, value in enumerate([1.0, 4.0, 2.5])]
    low, high, middle = circles(drawn(charts.trend(spans, low=0, high=5, label="")))
    assert low < middle < high


def test_text_is_escaped() -> None:
    span = Span(0.5, title="<script>&\x00\ud800")
    svg = drawn(charts.interval(span, low=0, high=5, label='"><b>'))
    assert "<script>" not in svg
    assert titles(svg) == ["<script>&"]
    assert read(svg).attrib["aria-label"] == '"><b>'


def test_a_text_without_room_is_cut_and_says_so() -> None:
    assert fit("short", 100) == "short"
    assert fit("a name that goes on and on", 60).endswith("…")
    assert measure_width(fit("很长的名字" * 20, 60)) <= 60


# A room of ten letters.
ROOM = 10 * 0.58 * 12


def test_names_that_fit_are_not_cut() -> None:
    assert fit_apart([], ROOM) == []
    assert fit_apart(["2026-02-28", "short"], ROOM) == ["2026-02-28", "short"]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["spring-of-a-long-year", "autumn-of-it"], ["spring-of…", "autumn-of…"]),
        (["wayfarer-2026.09", "wayfarer-2026.10"], ["…r-2026.09", "…r-2026.10"]),
        (["wayfarer-2026.09", "2026.10"], ["wayfarer-…", "2026.10"]),
        # These differ in the middle.
        (["wayfarer-1-a-candidate", "wayfarer-2-a-candidate"], ["…1-a-cand…", "…2-a-cand…"]),
        (["很长的产品名称二月版本", "很长的产品名称三月版本"], ["…称二月版本", "…称三月版本"]),
    ],
)
def test_names_are_cut_where_they_stay_different(names: list[str], labels: list[str]) -> None:
    found = fit_apart(names, ROOM)
    assert found == labels
    assert all(measure_width(label) <= ROOM for label in found)


def test_trend_names_that_are_cut_have_their_whole_name_as_a_title() -> None:
    releases = [
        Release(f"a-product-with-a-long-name-{version}", "1", Span(3.0)) for version in ("1", "2")
    ]
    svg = drawn(charts.trend(releases, low=0, high=5, label="all"))
    assert titles(svg) == [release.name for release in releases]
    labels = {mark.text for mark in marks_of(svg) if (mark.text or "").startswith("…")}
    assert labels == {"…ith-a-long-name-1", "…ith-a-long-name-2"}


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(WORDS, max_size=5), st.sampled_from([40.0, 80.0, 128.0]))
def test_cut_names_fit_and_are_no_more_alike_than_when_cut_at_the_end(
    names: list[str], room: float
) -> None:
    found = fit_apart(names, room)
    assert len(found) == len(names)
    assert all(measure_width(label) <= room for label in found)
    assert len(set(found)) >= len({fit(name, room) for name in names})
