"""What a case is about, read off its request and plan: destinations, and what a finding is."""

import json
from pathlib import Path

import polib
import pytest

from cases.itinerary.format import Budget, Case, Day, Plan, PlanBudget, Request
from cases.tags.detectors import Found, detect


def found(text: str = "A trip, please.", **fields: object) -> dict[str, Found]:
    request = Request(text, **fields)  # type: ignore[arg-type]
    return {finding.tag: finding for finding in detect(Case("k", request))}


def strengths(text: str = "A trip, please.", **fields: object) -> dict[str, str]:
    return {tag: item.strength for tag, item in found(text, **fields).items()}


# What a finding is


def test_a_request_that_says_nothing_has_no_tags() -> None:
    assert detect(Case("k", Request("帮我安排一下"))) == ()


def test_a_finding_says_why_in_a_sentence_that_can_be_translated() -> None:
    one = found(destination="北京")["beijing"]
    assert one == Found("beijing", "strong", "The destination is “%(place)s”.", {"place": "北京"})
    assert one.sentence == "The destination is “北京”."


def test_a_finding_with_a_number_has_both_forms() -> None:
    one_day = found(must_visit=["a", "b", "c"], days=1)["tight-schedule"]
    two_days = found(must_visit=list("abcdef"), days=2)["tight-schedule"]
    assert one_day.sentence == "3 must-visit places in 1 day."
    assert two_days.sentence == "6 must-visit places in 2 days."
    assert (one_day.message, one_day.plural) == (two_days.message, two_days.plural)


def test_a_percent_sign_in_the_request_does_no_harm() -> None:
    assert found(destination="100% 北京")["beijing"].sentence == "The destination is “100% 北京”."


def test_what_is_found_can_be_stored_as_json() -> None:
    for value in found("春节带孩子去北京", start_date="2026-02-14", mobility=["轮椅"]).values():
        assert json.loads(json.dumps(value.params)) == value.params


def test_every_sentence_is_marked_for_the_translators() -> None:
    # tests/evalsite/test_catalogue.py: it holds exactly what the source marks.
    catalogue = Path(__file__).parents[3] / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    marked = {(entry.msgid, entry.msgid_plural) for entry in polib.pofile(str(catalogue))}
    weak_budget = Budget(1, "CNY", "per person")
    found = [
        *detect(Case("k", Request("去北京. no kids, no wheelchair", avoid=["tickets"]))),
        *detect(Case("k", Request("北京. 春节, hotels that allow children", destination="成都"))),
        *detect(Case("k", Request("避开春节", group_type="family", pace="intensive"))),
        *detect(Case("k", Request("x", group_type="elderly", start_date="2026-02-17"))),
        *detect(Case("k", Request("x", mobility=["cane"], start_date="2026-02-16"))),
        *detect(Case("k", Request("春节", start_date="2026-05-16", must_visit=["a", "b"], days=1))),
        *detect(Case("k", Request("2026-02-18"), plan=Plan(budget=PlanBudget(warning="!x")))),
        *detect(Case("k", Request("x"), plan=Plan(days=[Day(date="2026-02-17")]))),
        *detect(Case("k", Request("x", budget=weak_budget), plan=Plan(budget=PlanBudget(total=9)))),
    ]
    assert len({item.message for item in found}) >= 18
    assert [item.message for item in found if (item.message, item.plural) not in marked] == []


def test_all_tags_of_a_case_come_together() -> None:
    case = Case(
        "k",
        Request(
            "春节带5岁的女儿和坐轮椅的奶奶去北京，一天必去三个地方",
            destination="北京",
            days=1,
            must_visit=["天坛", "颐和园", "长城"],
        ),
        plan=Plan("done", budget=PlanBudget(warning="预算低于最低可行预算")),
    )
    assert {finding.tag: finding.strength for finding in detect(case)} == {
        "beijing": "strong",
        "spring-festival": "strong",
        "low-budget": "strong",
        "family": "strong",
        "mobility-limited": "strong",
        "tight-schedule": "strong",
    }


# The destination as a field


@pytest.mark.parametrize(
    ("destination", "tags"),
    [
        ("北京", ["beijing"]),
        ("北京市", ["beijing"]),
        ("中国北京", ["beijing"]),
        ("北京市东城区", ["beijing"]),
        ("Beijing", ["beijing"]),
        ("BEIJING", ["beijing"]),
        ("Ｂｅｉｊｉｎｇ", ["beijing"]),
        ("Peking", ["beijing"]),
        ("Beijing City", ["beijing"]),
        ("Beijing (北京)", ["beijing"]),
        ("北京、天津", ["beijing", "tianjin"]),
        ("Beijing and Shanghai", ["beijing", "shanghai"]),
        (["Shanghai", "Beijing"], ["shanghai", "beijing"]),
        ("廣州", ["guangzhou"]),
        ("呼和浩特", ["hohhot"]),
        ("西安", ["xian"]),
        ("Xi'an", ["xian"]),
        ("Xi’an", ["xian"]),
        ("Ürümqi", ["urumqi"]),
        ("Hong Kong", ["hong-kong"]),
        ("Shanghai Disneyland", ["shanghai"]),
        ("Oslo", ["oslo"]),
        ("St. Gallen", ["st-gallen"]),
        ("Rio de Janeiro", ["rio-de-janeiro"]),
        ("Boulder, CO", ["boulder"]),
        ("New York / Boston", ["new-york", "boston"]),
    ],
)
def test_each_destination_is_a_strong_tag(destination: str | list[str], tags: list[str]) -> None:
    assert strengths(destination=destination) == dict.fromkeys(tags, "strong")


@pytest.mark.parametrize(
    "destination",
    [
        None,
        "",
        [],
        " ",
        "东京",  # not in the table, and no Latin letters to make a tag of
        "2026",
        "somewhere warm by the sea",
        "anywhere",
        "undecided",
        "a small and quiet village at the end of the very last valley",
    ],
)
def test_what_is_no_name_that_we_can_write_gives_no_tag(destination: str | None) -> None:
    assert strengths(destination=destination) == {}


@pytest.mark.parametrize("name", ["Family", "Low budget", "Spring Festival"])
def test_a_place_cannot_pass_for_a_kind(name: str) -> None:
    assert strengths(destination=name) == {}


@pytest.mark.parametrize("place", ["广州北京路", "上海南京西路", "北海道", "Beijing Road"])
def test_the_name_of_a_city_inside_another_name_is_not_the_city(place: str) -> None:
    assert {"beijing", "nanjing", "beihai"}.isdisjoint(strengths(destination=place))


def test_the_origin_is_not_a_destination() -> None:
    assert strengths("从北京去上海", origin="北京", destination="上海") == {"shanghai": "strong"}


def test_a_round_trip_that_lists_its_origin_goes_to_the_other_places() -> None:
    round_trip = strengths(origin="Beijing", destination=["Xi'an", "Beijing"])
    assert round_trip == {"xian": "strong"}


def test_a_trip_at_home_still_has_its_destination() -> None:
    assert strengths(origin="北京", destination="北京") == {"beijing": "strong"}


def test_a_list_of_nothing_but_origins_is_kept() -> None:
    both = strengths(origin="北京、天津", destination=["北京", "天津"])
    assert both == {"beijing": "strong", "tianjin": "strong"}


def test_a_list_in_the_text_goes_on_behind_the_origin() -> None:
    listed = strengths("to Shanghai, Beijing, Chengdu", origin="Beijing")
    assert listed == {"shanghai": "strong", "chengdu": "strong"}


def test_a_very_long_list_is_cut() -> None:
    assert len(strengths(destination=[f"Town{n}x" for n in range(3000)])) == 50


# The destination in the text


@pytest.mark.parametrize(
    "text",
    [
        "去北京3天",
        "北京3日游",
        "北京三日",
        "我想去北京玩",
        "前往北京",
        "从上海到北京",
        "春节北京4天",
        "北京只有1天时间",
        "去上海和北京",
        "北京、天津5日游",
        "北京天津5日",
        "去Beijing玩",
        "I want to go to Beijing",
        "from Shanghai to Beijing",
        "3 days in Beijing",
        "A Beijing trip, please",
        "Plan a 3-day Beijing getaway",
        "VISIT BEIJING NOW",
        "trip to Shanghai, Beijing and Chengdu",
        "Beijing and Shanghai trip",
        'a trip to "Beijing"',
        "we are leaving for Beijing",
        "trip to Beijing's hutongs",
    ],
)
def test_words_that_lead_to_a_city_make_it_the_destination(text: str) -> None:
    assert strengths(text)["beijing"] == "strong"


@pytest.mark.parametrize(
    "text",
    ["I have been to Beijing before", "去过北京，这次想看海", "朋友在北京", "Beijing looks nice"],
)
def test_a_city_that_is_only_named_is_a_hint(text: str) -> None:
    assert strengths(text) == {"beijing": "weak"}


@pytest.mark.parametrize(
    "text",
    [
        "从北京去上海",
        "北京出发去上海",
        "北京飞上海",
        "回北京",
        "不去北京",
        "我是北京人，想去成都",
        "北京烤鸭在上海哪里吃",
        "北京时间上午9点集合",
        "广州北京路步行街",
        "上海北京西路附近",
        "travel from Beijing to Shanghai",
        "departing from Beijing",
        "I live in Beijing and want to see Xi'an",
        "back to Beijing in the evening",
        "return to Beijing",
        "a Beijing duck restaurant in Shanghai",
        "arrive at 9:00 Beijing time",
        "Beijing Road in Guangzhou",
        "from Beijing to Beijingers abroad",
    ],
)
def test_an_origin_a_dish_a_road_or_a_clock_is_no_destination(text: str) -> None:
    assert "beijing" not in strengths(text)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("去北海公园划船", "beihai"),
        ("去北海道滑雪", "beihai"),
        ("去昆明湖划船", "kunming"),
        ("visit Nanjing West Road", "nanjing"),
        ("visit the Dali museum in Figueres", "dali"),
        ("把照片变成都市风", "chengdu"),
    ],
)
def test_a_place_named_like_a_city_is_not_the_city(text: str, tag: str) -> None:
    assert tag not in strengths(text)


def test_the_reason_quotes_the_words_as_they_were_written() -> None:
    assert found("We fly to Beijing.")["beijing"].sentence == "The request says “to Beijing”."
    assert found("想去北京玩3天")["beijing"].sentence == "The request says “去北京”."
