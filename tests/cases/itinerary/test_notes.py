"""Notes of the product: words for the customer, badges, and text of the machine."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.itinerary.notes import (
    AVOID_PEAK_HOURS,
    BOOKING_NEEDED,
    CLOSED_ON,
    CLOSED_ON_AND_MORE,
    CLOSED_ON_SEVERAL,
    OPENING_RULE,
    Badge,
    Notes,
    closing_weekdays,
    sort_note,
)
from tests.bed import growth, soak

pytestmark = pytest.mark.soak

MON, TUE, WED, THU, FRI, SAT, SUN = range(7)

WORDS = [
    "第1天游客较多，已留出余量",
    "天气:小雨",
    "节假日:中秋",
    "时间偏好:下午",
    "没有排进的心愿: 白塔",
    "为了省钱，第1天去掉「白塔」。",
    "第3天游客very_many",
    "tips:请带好雨衣，早点出发。",
    "Bring ID = passport",
    "Bring ID=passport",
    "note:bring water",
    "Cost: 30",
    "cost = 3",
    "Day 4 shows the same sights once more",
    "If it rains",
    "Meet at 09:30",
    "09:30-10:00",
    "tel:010-12345",
    "https://tickets.example/?day_pass=2",
    "See https://tickets.example/?day_pass=2 first",
    "Removed the harbour to reduce cost",
    "day 3 reduced to two quarters",
    "[Free] bring water",
    "Lakeport",
    "N/A",
    "50% off",
]
MACHINE = [
    "buffer=20m",
    "cluster=hint:old_town",
    "routing_confidence=0.85",
    "backup_option",
    "meal_windows",
    "persona=default max_pois=7",
    "persona_profile=elderly",
    "preference_reranked=true",
    "semantic_unknown_candidates=3",
    "constraints_unresolved:OVER_BUDGET",
    "OVER_BUDGET",
    "repair:day4:reorder_day",
    "repair:day1:remove_poi:白塔:budget_trim",
    "edit_patch:add_stop pending day=1 poi=白塔",
    "day_template_diversity:白塔->青石寺",
    "day3 reduced to <=2 geographic clusters",
    "Removed 白塔 to reduce cost (cost=3)",
    "fallback_schedule crowd=high",
    "wifi:guest",
    "ID=passport",
    "a_b, c_d; e=f",
    "closed_rules=",
    '{"trace": 1}',
    "[1, 2]",
    '{\n"trace": "a long one"\n}',
]
TOKENS = ["reservation_required", "avoid_peak_hours", "closed_rules=周一闭馆"]


@pytest.mark.parametrize("text", WORDS)
def test_what_a_person_wrote_for_a_person_is_words(text: str) -> None:
    assert sort_note(text) == Notes(words=(text,))


@pytest.mark.parametrize("text", MACHINE)
def test_what_a_machine_wrote_for_a_machine_is_not_shown(text: str) -> None:
    assert sort_note(text) == Notes(machine=(text,))


@pytest.mark.parametrize("text", [None, "", " ", "\n", " \n "])
def test_an_empty_note_is_nothing(text: str | None) -> None:
    assert sort_note(text) == Notes()


def test_known_tokens_become_badges() -> None:
    tokens = ("cluster=a", "buffer=20m", "reservation_required", "avoid_peak_hours")
    assert sort_note(" | ".join((*tokens, "closed_rules=周一闭馆"))) == Notes(
        badges=(
            BOOKING_NEEDED,
            AVOID_PEAK_HOURS,
            Badge("closed", CLOSED_ON[MON], "周一闭馆", frozenset({MON})),
        ),
        machine=("cluster=a", "buffer=20m"),
    )


@pytest.mark.parametrize(
    ("token", "label", "weekdays"),
    [
        ("closed_rules=closed on Sundays", CLOSED_ON[SUN], {SUN}),
        ("closed_rules=每周三闭馆。", CLOSED_ON[WED], {WED}),
        ("closed_rules=周一闭馆（节日照常）", CLOSED_ON_AND_MORE[MON], {MON}),
        ("closed_rules=closed Mondays except in May", CLOSED_ON_AND_MORE[MON], {MON}),
        ("closed_rules=每周一、周二休息", CLOSED_ON_SEVERAL, {MON, TUE}),
        ("closed_rules=以门口告示为准", OPENING_RULE, set()),
    ],
)
def test_a_closing_rule_keeps_its_words(token: str, label: str, weekdays: set[int]) -> None:
    (badge,) = sort_note(token).badges
    assert (badge.code, badge.label, set(badge.weekdays)) == ("closed", label, weekdays)
    assert badge.text == token.removeprefix("closed_rules=")
    assert badge.label % {"text": badge.text}


def test_a_token_that_says_true_is_a_badge_and_one_that_says_false_is_none() -> None:
    assert sort_note("reservation_required=true").badges == (BOOKING_NEEDED,)
    assert sort_note("reservation_required=false") == Notes(machine=("reservation_required=false",))


def test_a_text_of_words_only_stays_whole() -> None:
    assert sort_note(" 节假日:中秋 | 天气:小雨\n带伞 ").words == ("节假日:中秋 | 天气:小雨\n带伞",)


def test_words_beside_machine_text_are_found_between_bars_and_on_lines() -> None:
    note = "cluster=a | 请带身份证 | 早点出发\nrouting_confidence=0.9"
    assert sort_note(note) == Notes(
        words=("请带身份证", "早点出发"), machine=("cluster=a", "routing_confidence=0.9")
    )


def test_a_pair_inside_prose_takes_its_sentence_and_no_other() -> None:
    note = "A fine spot. It is near (routing_confidence=0.9). Enjoy!"
    assert sort_note(note) == Notes(
        words=("A fine spot.", "Enjoy!"), machine=("It is near (routing_confidence=0.9).",)
    )
    assert sort_note("景色很好。距离近（cost=3）。请慢走。").words == ("景色很好。", "请慢走。")


many = settings(max_examples=soak.size(short=100, long=20_000), deadline=None)
pieces = st.lists(
    st.tuples(st.just("words"), st.sampled_from([item for item in WORDS if "\n" not in item]))
    | st.tuples(st.just("machine"), st.sampled_from([item for item in MACHINE if "\n" not in item]))
    | st.tuples(st.just("badges"), st.sampled_from(TOKENS)),
    min_size=1,
    max_size=6,
)
tried: list[object] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    if tried:
        bad = request.session.testsfailed - failed_before
        soak.report(request.node.name, tried=len(tried), bad=bad)


@many
@given(pieces, st.sampled_from([" | ", "\n"]))
def test_each_part_of_a_note_is_sorted_as_it_would_be_alone(
    parts: list[tuple[str, str]], bar: str
) -> None:
    tried.append(parts)
    notes = sort_note(bar.join(text for kind, text in parts))
    texts = {kind: tuple(text for part, text in parts if part == kind) for kind, text in parts}
    if set(texts) == {"words"}:
        assert notes == Notes(words=(bar.join(texts["words"]),))
    else:
        assert notes.words == texts.get("words", ())
        assert notes.machine == texts.get("machine", ())
        assert len(notes.badges) == len(texts.get("badges", ()))


@many
@given(st.text() | st.text("ab_=: |\n.;{}[]一", max_size=40))
def test_any_text_is_sorted_and_words_are_pieces_of_it(text: str) -> None:
    tried.append(text)
    notes = sort_note(text)
    for piece in (*notes.words, *notes.machine):
        assert piece
        assert piece in text
    for badge in notes.badges:
        assert badge.text in text
    assert bool(text.strip()) == bool(notes.words or notes.badges or notes.machine) or not (
        text.replace("|", "").strip()
    )


@pytest.mark.parametrize(
    ("start", "bit", "end"),
    [
        ("closed ", "Mon & ", ""),
        ("", "周一、", ""),
        ("", "Removed a to reduce cost (cost= ", ""),
        ("", "a_", ""),
        ("", "(a_b", ""),
        ("", " ", "x"),
        ("closed_rules=", "closed on ", ""),
    ],
)
def test_a_very_long_note_costs_no_more_than_its_length(start: str, bit: str, end: str) -> None:
    def read(length: int) -> object:
        text = start + bit * (length // len(bit)) + end
        return sort_note(text), closing_weekdays(text)

    assert growth.grows_at_most(10, lambda: read(50_000), lambda: read(200_000), slack=0.002)


# Closing days


@pytest.mark.parametrize(
    ("text", "weekdays"),
    [
        ("周一闭馆", {MON}),
        ("每周一、周二休息", {MON, TUE}),
        ("每周一、二休息", {MON, TUE}),
        ("周一闭馆（法定节假日除外）", {MON}),
        ("周一全天闭馆，节假日正常开放", {MON}),
        ("周一至周三闭馆", {MON, TUE, WED}),
        ("周六到周一关闭", {SAT, SUN, MON}),
        ("星期天闭园", {SUN}),
        ("礼拜三不营业", {WED}),
        ("周4停业", {THU}),
        ("周日/周一休息", {SUN, MON}),
        ("周一至周五开放，周末闭馆", {SAT, SUN}),
        ("周一正常开放，周二闭馆", {TUE}),
        ("闭馆日：每周五", {FRI}),
        ("除周一外每天开放", {MON}),
        ("每天开放（周一除外）", {MON}),
        ("closed Mondays", {MON}),
        ("closed on Monday and Tuesday", {MON, TUE}),
        ("Closed: Sun & Mon", {SUN, MON}),
        ("CLOSED MON-WED", {MON, TUE, WED}),
        ("closed Saturday through Monday", {SAT, SUN, MON}),
        ("closed on Sundays, Mondays and public holidays", {SUN, MON}),
        ("closed every Thursday", {THU}),
        ("closed weekends", {SAT, SUN}),
        ("Fridays: closed", {FRI}),
        ("Open Tuesday to Sunday, Monday closed", {MON}),
        ("closed Monday, Tuesday open until 9", {MON}),
        ("Open daily except Wed.", {WED}),
        ("Closed Mondays except on holidays", {MON}),
    ],
)
def test_closing_days_are_recognised(text: str, weekdays: set[int]) -> None:
    assert closing_weekdays(text) == weekdays


@pytest.mark.parametrize(
    "text",
    [
        "",
        "以门口告示为准",
        "大风时可能临时闭园",
        "周一开放",
        "周一不闭馆",
        "周一下午闭馆",
        "周一闭馆时间为16:00",
        "每月第一个周一闭馆",
        "周二至周日开放",
        "周一，三月闭馆",
        "周一、天桥关闭",
        "open Mondays",
        "not closed on Mondays",
        "closed on Monday mornings",
        "closed Mondays until 12:00",
        "Monday closed from 14:00",
        "closed on the first Monday of the month",
        "The harbour is closed. Monday is fine.",
        "closed for lunch",
        "open by day, closed except Mondays",
        "closed in sunny weather",
    ],
)
def test_what_is_not_closed_all_day_every_week_is_not_a_closing_day(text: str) -> None:
    assert closing_weekdays(text) == frozenset()


@many
@given(st.text("周星期一二三日天闭馆休息、至除外开放末1 ") | st.text())
def test_closing_days_are_weekdays_whatever_the_text(text: str) -> None:
    tried.append(text)
    assert closing_weekdays(text) <= set(range(7))
