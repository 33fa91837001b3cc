"""A case for its readers: chips, what is not stated, facts in words, every text in its language."""

import json
import re
from itertools import count
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases.case import display as case_display
from cases.facts import find_facts
from cases.itinerary import reading
from cases.itinerary.format import Case
from cases.itinerary.language import Text
from cases.rubric import read as read_rubric
from cases.rubrics.workflow import SHIPPED
from tests.bed import soak
from tests.bed.cases import make_case
from tests.cases.facts.invented_trips import day, transfer, trip, visit
from tests.cases.itinerary.filled_cases import TRANSLATED_INTO, Node, filled, nodes_of

RUBRIC = read_rubric((SHIPPED / "en.md").read_text("utf-8")).document


def case_of(row: dict[str, Any]) -> Case:
    return reading.read(json.dumps(row).encode()).case


def page_of(case: Case, language: str = "en") -> case_display.Page:
    with translation.override(language):
        return case_display.read(case, RUBRIC, language=language)


def nodes(case: Case, language: str = "en") -> list[Node]:
    """The texts of the block and its facts."""
    with translation.override(language):
        page = page_of(case, language)
        block = render_to_string("cases/case/_itinerary.html", {"page": page})
        facts = {"groups": page.groups, "language": "en"}
        return nodes_of(block + render_to_string("cases/case/_facts.html", facts))


def text_of(case: Case, language: str = "en") -> str:
    """What stands on the page, in one line."""
    found = " ".join(node.text for node in nodes(case, language))
    return re.sub(r"\s+", " ", found)


def asked(**request: Any) -> Case:
    return case_of({"case_key": "k", "request": {"text": "Somewhere warm.", **request}})


def chips(case: Case, language: str = "en") -> dict[str, str]:
    return {
        chip.label: ", ".join(
            value.text if isinstance(value, Text) else str(value) for value in chip.values
        )
        for chip in page_of(case, language).chips
    }


# The fields of the request


def test_every_field_of_the_request_is_a_chip_in_words() -> None:
    request = {
        "origin": "Ostmar",
        "destination": ["Yunxi", "白鹭湖"],
        "start_date": "2026-05-12",
        "end_date": "2026-05-14",
        "days": 3,
        "people": 1,
        "group_type": "elderly",
        "budget": {"amount": 1800.5, "currency": "CNY", "scope": "per_person"},
        "must_visit": ["Paper mill"],
        "avoid": ["stairs"],
        "dietary": ["no nuts"],
        "mobility": ["wheelchair"],
        "goals": ["photos"],
        "pace": "relaxed",
        "transport_preference": "public_transit",
        "lodging": "near the tram",
    }
    assert chips(asked(**request)) == {
        "destination": "Yunxi, 白鹭湖",
        "from": "Ostmar",
        "dates": "Tue 12 May 2026 – Thu 14 May 2026",
        "days": "3 days",
        "people": "1 person",
        "group": "elderly",
        "money": "1,800.50 CNY, per person",
        "must see": "Paper mill",
        "avoid": "stairs",
        "diet": "no nuts",
        "mobility": "wheelchair",
        "goals": "photos",
        "pace": "relaxed",
        "transport": "public transport",
        "lodging": "near the tram",
    }
    assert page_of(asked(**request)).not_stated == ()


def test_what_is_not_stated_is_named_in_the_order_of_the_chips() -> None:
    page = page_of(asked(days=2, people=None, must_visit=[], destination="", budget={}))
    assert [chip.label for chip in page.chips] == ["days"]
    assert page.not_stated == (
        *("destination", "from", "dates", "people", "group", "money", "must see", "avoid", "diet"),
        *("mobility", "goals", "pace", "transport", "lodging"),
    )


@pytest.mark.parametrize(
    ("dates", "shown"),
    [
        ({"start_date": "2026-05-12"}, "Tue 12 May 2026"),
        ({"end_date": "2026-05-14"}, "Thu 14 May 2026"),
        ({}, None),
    ],
)
def test_one_date_is_stated_too(dates: dict[str, str], shown: str | None) -> None:
    assert chips(asked(**dates)).get("dates") == shown


def test_a_budget_without_an_amount_is_not_stated_and_nothing_is_an_amount() -> None:
    assert "money" in page_of(asked(budget={"currency": "CNY"})).not_stated
    assert chips(asked(budget={"amount": 0, "currency": "CNY"}))["money"] == "0 CNY"


@pytest.mark.parametrize(
    ("derived", "read"),
    [
        (["request.days"], {"days"}),
        (["request.days (counted by hand)", "request.pace"], {"days", "pace"}),
        (["request.* except text (read from the text by hand)"], {"days", "pace", "dates"}),
        (["request.*"], {"days", "pace", "dates"}),
        (["request.start_date"], {"dates"}),
        (["request.end_date"], {"dates"}),
        (["request.day", "request.days_asked", "plan.days[].date", "automated_checks"], set()),
        ([], set()),
        (None, set()),
    ],
)
def test_a_chip_is_dotted_where_the_case_says_it_was_read(
    derived: list[str] | None, read: set[str]
) -> None:
    dates = {"start_date": "2026-05-12", "end_date": "2026-05-13"}
    request = {"text": "x", "days": 2, "pace": "relaxed", **dates}
    row = {"case_key": "k", "request": request, "source": {"derived": derived}}
    page = page_of(case_of(row))
    assert {chip.label for chip in page.chips if chip.is_read} == read


def test_without_a_source_nothing_is_dotted() -> None:
    assert not any(chip.is_read for chip in page_of(asked(days=2)).chips)


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        (1234.5, "CNY", "1,234.50 CNY"),
        (1234.0, "CNY", "1,234 CNY"),
        (0, "USD", "0 USD"),
        (-0.001, "USD", "0 USD"),
        (12, None, "12"),
        (12, "  ", "12"),
        (1e300, "CNY", "1e+300 CNY"),
        (12, "元", '12 <bdi lang="zh-Hans">元</bdi>'),
        (12, "<b>", '12 <bdi lang="en">&lt;b&gt;</bdi>'),
        (None, "CNY", "–"),
    ],
)
def test_money_is_shown_as_people_write_it(
    amount: float | None, currency: str | None, shown: str
) -> None:
    assert case_display.format_money(amount, currency) == shown


def test_a_long_request_folds_and_a_short_one_does_not() -> None:
    assert not page_of(asked(text="x" * 60)).request_folds
    assert page_of(asked(text="x" * 61)).request_folds
    assert page_of(asked(text="line\n" * 9)).request_folds


# Facts


def test_facts_are_numbered_through_and_each_is_told_once() -> None:
    case = case_of(make_case())
    shown = [fact for group in page_of(case).groups for fact in group.facts]
    assert [fact.number for fact in shown] == list(range(1, len(shown) + 1))
    assert sorted(fact.key for fact in shown) == sorted(fact.key for fact in find_facts(case))


def test_facts_stand_under_the_question_they_inform() -> None:
    case = trip(day(visit("A", "09:00", "10:00"), transfer(40), visit("B", "10:20", "11:00")))
    groups = page_of(case).groups
    where = {fact.key.split(":")[0]: group.question for group in groups for fact in group.facts}
    buffers = where["short-gap"]
    assert buffers is not None
    assert "buffers" in buffers.text
    assert where["days"] is None


def test_a_question_without_facts_is_there_when_there_is_a_plan_to_read() -> None:
    with_plan = page_of(case_of(make_case())).groups
    assert [group.question for group in with_plan[:-1]] == list(RUBRIC.questions)
    without = page_of(asked()).groups
    assert all(group.facts for group in without)


def test_a_fact_is_told_in_the_readers_language_around_words_in_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(case_display, "gettext", "《{}》".format)
    case = trip(
        day(visit("竹影寺 <b>", "09:00", "10:00"), transfer(40), visit("B", "10:20", "11:00"))
    )
    sentence = next(
        fact.sentence
        for group in page_of(case).groups
        for fact in group.facts
        if fact.key.startswith("short-gap")
    )
    assert sentence == (
        '《Day 1, <bdi lang="zh-Hans">竹影寺 &lt;b&gt;</bdi> → <bdi lang="en">B</bdi>: '
        "40 min transfer, gap 20 min: short by 20 min.》"
    )


@pytest.mark.parametrize(
    ("mode", "language", "expected"),
    [
        ("walk", "en", "20 min on foot; gap 60: fits"),
        (" Walking", "en", "20 min on foot; gap 60: fits"),
        ("metro", "en", "20 min by metro; gap 60: fits"),
        ("walk", "zh-hans", "步行 20 分钟；间隔 60 分钟，够用"),
    ],
)
def test_nobody_goes_by_on_foot(mode: str, language: str, expected: str) -> None:
    case = trip(
        day(
            visit("A", "09:00", "10:00"),
            transfer(20, mode=mode, to="B"),
            visit("B", "11:00", "12:00"),
        )
    )
    assert expected in text_of(case, language)


def test_a_fact_leads_to_something_that_stands_on_the_page() -> None:
    """Also when it is about one text of a stop, or about a transfer that a leg shows."""
    case = trip(
        day(
            visit("A", "09:00", "10:00"),
            transfer(90, to="B"),
            visit("B", "11:40", "12:00", note="no nuts anywhere"),
        ),
        plan={"notes": ["Ask for no nuts."]},
        dietary=["no nuts"],
    )
    refs = {
        fact.key: fact.refs for group in page_of(case).groups for fact in group.facts if fact.refs
    }
    assert refs["longest-transfer"] == ("/plan/days/0/items/1",)
    assert refs["dietary-found:/request/dietary/0"] == ("/plan/days/0/items/2", "/plan/notes")
    block = render_to_string("cases/case/_itinerary.html", {"page": page_of(case)})
    ids = set(re.findall(r' id="([^"]+)"', block))
    for pointers in refs.values():
        assert {"at" + pointer.replace("/", "-") for pointer in pointers} <= ids


# Every text in its own language


def written(letters: str) -> tuple[Case, list[str]]:
    """A full case in which each text of the request and plan has a word of its own."""
    numbers = count(100)
    words: list[str] = []

    def write(pointer: str) -> str:
        if not pointer.startswith(("/request/", "/plan/")):
            return "x"
        words.append(f"{letters}{next(numbers)}")
        return words[-1]

    return case_of(filled(write)), words


@pytest.mark.parametrize(
    ("letters", "lang", "interface"),
    [("竹影寺", "zh-Hans", "en"), ("mill", "en-GB", "zh-hans")],
)
def test_every_text_of_a_case_carries_its_own_language(
    letters: str, lang: str, interface: str
) -> None:
    case, words = written(letters)
    found = nodes(case, interface)
    wrong = [
        (node.text.strip()[:60], node.language)
        for node in found
        if letters in node.text and node.language not in (lang, lang.split("-")[0])
    ]
    assert wrong == []
    shown = " ".join(node.text for node in found)
    assert [word for word in words if word not in shown] == []


def test_words_of_ours_carry_no_language_of_the_case() -> None:
    for node in nodes(case_of(make_case()), "en"):
        for ours in ("not stated", "Money", "visit", "buffer", "relaxed", "Total stated"):
            if node.text.strip().startswith(ours):
                assert node.language in (None, "en"), node


def test_a_translation_stands_beside_its_original_and_is_marked() -> None:
    """Beside every text of the request and plan that has one."""
    case = case_of(filled(lambda pointer: f"{pointer}."))
    found = nodes(case)
    french = [node for node in found if node.language == TRANSLATED_INTO]
    shown = {node.text for node in french}
    expected = {
        f"/translations/{TRANSLATED_INTO}{pointer}."
        for pointer in (
            *("/request/text", "/request/origin", "/request/must_visit/1", "/request/lodging/0"),
            *("/plan/summary", "/plan/days/0/summary", "/plan/days/0/items/0/title"),
            *("/plan/days/1/items/0/place", "/plan/days/0/items/0/note", "/plan/notes/1"),
            *("/plan/fallbacks/0/title", "/plan/fallbacks/1/reason", "/plan/fallbacks/0/note"),
            *("/plan/days/0/items/1/transport/to", "/plan/budget/warning"),
        )
    }
    assert expected <= shown
    assert all(node.is_inside("span", "translation") for node in french)
    marks = [node for node in found if node.text == "Translation:"]
    assert len(marks) == len(french)


def test_the_translation_in_the_readers_language_comes_first() -> None:
    row = make_case(
        request={"text": "Zwei ruhige Tage."},
        translations={
            "en": {"request": {"text": "Two quiet days."}},
            "zh-CN": {"request": {"text": "安静的两天。"}},
        },
        locale="de",
    )
    for language, shown in (("en", "Two quiet days."), ("zh-hans", "安静的两天。")):
        text = page_of(case_of(row), language).request.translation
        assert text is not None
        assert text.text == shown


# Plans of every sort


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (None, "There is no plan."),
        ({"status": "clarifying"}, "There is no plan: the product asked the customer for more."),
        ({"status": "error", "days": []}, "There is no plan: the product reported an error."),
        ({"status": "empty"}, "There is no plan."),
        ({"status": "done", "days": []}, "There is no plan."),
    ],
)
def test_a_missing_plan_is_said(plan: dict[str, Any] | None, sentence: str) -> None:
    shown = text_of(case_of(make_case() | {"plan": plan}))
    assert sentence in shown
    assert "Two slow days in Yunxi" in shown


def test_a_plan_without_times_is_shown_as_beads_in_the_order_given() -> None:
    case = trip(
        day(visit("Mill", place="Saltford"), visit("Quay", place="Saltford")),
        day(visit("塔", place="白鹭湖")),
    )
    beads = [node for node in nodes(case) if node.is_inside("span", "bead")]
    assert [(node.text, node.language) for node in beads] == [
        ("Saltford", "en"),
        ("白鹭湖", "zh-Hans"),
    ]
    # By the days, and among the facts.
    assert text_of(case).count("order as delivered, it may not be the visiting order") == 2
    told = render_to_string("cases/case/_itinerary.html", {"page": page_of(case)})
    assert re.search(r"</ol>\s*<p [^>]*>0 of 3 items have a time; order as delivered", told)


def test_an_item_past_midnight_is_marked() -> None:
    late = trip(day(visit("Night boat", "23:10", "00:40")))
    assert "23:10–00:40 +1" in text_of(late)
    assert "+1" not in text_of(trip(day(visit("Boat", "22:10", "23:40"))))


def test_a_day_without_stops_says_so() -> None:
    assert "Nothing is planned for this day." in text_of(trip(day(), day(visit("A"))))


def test_a_note_of_15_kb_is_shown_whole() -> None:
    note = "这里有很多话要说。" * 1700
    assert note in text_of(trip(day(visit("A", note=note))))


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["On all 5 visits: Bring water.", "On 4 of 5 visits, not on E : avoid peak hours"]),
        ("zh-hans", ["5 个景点都有： Bring water.", "5 个景点中有 4 个（ E 除外）： 避开高峰时段"]),
    ],
)
def test_a_note_that_repeats_is_shown_once_with_the_stops_it_is_on(
    language: str, expected: list[str]
) -> None:
    note = "Bring water. | avoid_peak_hours=true"
    notes = [*[note] * 4, "Bring water."]
    case = trip(day(*(visit(name, note=text) for name, text in zip("ABCDE", notes, strict=True))))
    shown = text_of(case, language)
    for words in expected:
        assert shown.count(words) == 1
    assert shown.count("Bring water.") == 1


def test_twelve_days_have_twelve_lanes_and_cards() -> None:
    case = trip(*(day(visit(f"Stop {number}", "09:00", "10:00")) for number in range(12)))
    with translation.override("en"):
        block = render_to_string("cases/case/_itinerary.html", {"page": page_of(case)})
    assert block.count("<svg") == 12
    assert 'class="lanes many"' in block
    assert block.count('class="day"') == 12


@pytest.mark.soak
@settings(max_examples=soak.size(short=30, long=1000), deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), min_size=1))
@example("<b>bold</b> &amp; </p>")
@example("<script>x</script>" * 9)
@example('" onclick="x')
@example("{{ 7 }} {% now %} %(x)s **b** [x](y)")
@example("\u202eabc\u2066")
def test_whatever_is_written_stands_on_the_page_as_it_was_written(text: str) -> None:
    """HTML, Markdown and directions in any field: the page reads back the same letters."""
    if not text.strip():
        return
    case = trip(day(visit(text, "09:00", "10:00")), text=text, must_visit=[text], origin=text)
    texts = [node.text for node in nodes(case)]
    assert texts.count(text) >= 4
