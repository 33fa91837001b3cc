"""`family` and `mobility-limited`: who travels, and what must not be taken for it."""

import pytest

from cases.itinerary.format import Case, Request, Source
from cases.tags.detectors import Found, detect


def finding(tag: str, text: str = "A trip, please.", **fields: object) -> Found | None:
    request = Request(text, **fields)  # type: ignore[arg-type]
    return next(
        (hit for hit in detect(Case("k", request)) if hit.tag == tag),
        None,
    )


def strength(tag: str, text: str = "A trip, please.", **fields: object) -> str | None:
    one = finding(tag, text, **fields)
    return one.strength if one else None


# Families


def test_the_group_type_is_enough() -> None:
    one = finding("family", group_type="family")
    assert one is not None
    assert (one.strength, one.sentence) == ("strong", "The group type is “family”.")
    assert finding("family", group_type="couple") is None


@pytest.mark.parametrize(
    "text",
    [
        "亲子游",
        "親子遊",
        "带孩子去上海",
        "帶小朋友",
        "带kids去海边",
        "带一个8岁孩子",
        "带老人和孩子",
        "兩個孩子",
        "孩子5岁",
        "5岁的女孩",
        "和女儿去北京",
        "有孩子同行",
        "遛娃",
        "一家三口",
        "全家出游",
        "适合小朋友玩的地方",
        "we travel with two kids",
        "WITH KIDS",
        "with children",
        "with our baby",
        "with my 8 year old",
        "our 5-year-old son",
        "2 adults and 2 children",
        "four people, including children under 10",
        "we are bringing the kids",
        "taking our grandchildren",
        "parents with a toddler",
        "parent-child trip",
        "a family of four",
        "a family vacation",
        "a family-friendly itinerary",
        "activities for kids",
        "we can't walk far with children",
    ],
)
def test_children_who_travel_make_a_family(text: str) -> None:
    assert strength("family", text) == "strong"


@pytest.mark.parametrize(
    "text",
    [
        "We require accommodations suitable for children under 10",
        "rooms that allow children",
        "accommodations that are suitable for families with children",
        "accommodations for children under 10",
        "The lodging must have a child-friendly policy",
        "酒店允许儿童入住",
        "酒店可以带孩子入住",
        "民宿要适合小朋友",
    ],
)
def test_a_house_rule_about_children_is_only_a_hint(text: str) -> None:
    one = finding("family", text)
    assert one is not None
    assert (one.strength, one.sentence) == (
        "weak",
        "The lodging is to take children; that children travel is not said.",
    )


def test_a_house_rule_in_the_lodging_field_is_a_hint_too() -> None:
    assert strength("family", lodging="children_under_10, entire_room") == "weak"
    assert strength("family", lodging=["pets", "children_under_10"]) == "weak"
    assert strength("family", lodging="entire_room") is None


RULE = "Two of us. We require rooms that allow children under 10."


@pytest.mark.parametrize(
    ("text", "derived", "expected"),
    [
        (RULE, ["request.* except text (read by pattern)"], "weak"),
        (RULE, ["request.group_type"], "weak"),
        (RULE, ["request.goals"], "strong"),
        (RULE, [], "strong"),
        ("With our two kids. " + RULE, ["request.group_type"], "strong"),
        ("A quiet week by the sea.", ["request.group_type"], "strong"),
    ],
)
def test_a_group_type_that_was_read_from_a_house_rule_is_only_a_hint(
    text: str, derived: list[str], expected: str
) -> None:
    case = Case("k", Request(text, group_type="family"), source=Source(derived=derived))
    assert [hit.strength for hit in detect(case) if hit.tag == "family"] == [expected]


def test_children_who_are_named_beside_the_house_rule_count() -> None:
    text = "For our two kids and us. The hotel must allow children."
    assert strength("family", text) == "strong"
    assert strength("family", "hotels that allow our two kids") == "strong"


@pytest.mark.parametrize(
    "text",
    [
        "no kids",
        "without children",
        "不带孩子",
        "没有小孩",
        "I don't have kids",
        "I don’t have kids",
        "we have no children",
    ],
)
def test_children_who_are_ruled_out_are_only_a_hint(text: str) -> None:
    one = finding("family", text)
    assert one is not None
    assert (one.strength, one.message) == (
        "weak",
        "The request mentions “%(words)s”, but seems to rule it out.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "没有老人和孩子",
        "visit my family in Boston",
        "visiting my daughter",
        "my 30-year-old son",
        "a hotel with kids club",
        "the children's museum",
        "kid-friendly restaurants",
        "亲子酒店",
        "和爸妈去",
        "where Billy the Kid was born",
    ],
)
def test_a_mention_that_may_mean_others_is_a_hint(text: str) -> None:
    assert strength("family", text) == "weak"


@pytest.mark.parametrize(
    "text",
    [
        "I am familiar with the city",
        "Kidwelly castle",
        "just kidding",
        "Sagrada Familia",
        "FamilyMart",
        "a family-run inn",
        "see the baby pandas",
        "全家便利店",
        "和女孩子们一起旅行",
        "和女朋友",
        "孙子兵法",
    ],
)
def test_words_that_only_look_like_it_are_nothing(text: str) -> None:
    assert strength("family", text) is None


# Limited mobility


@pytest.mark.parametrize(
    "text",
    [
        "行动不便",
        "行動不便",
        "坐轮椅",
        "輪椅",
        "腿脚不便",
        "膝盖不好",
        "残疾人",
        "拄拐",
        "走不了远路",
        "他不能久站",
        "需要无障碍设施",
        "my mother uses a wheelchair",
        "WHEELCHAIR accessible",
        "a wheel chair user",
        "disabled traveler",
        "limited mobility",
        "mobility issues",
        "she cannot walk far",
        "has trouble walking",
        "walks with a cane",
        "bad knees",
        "after knee surgery",
        "on crutches",
        "step-free routes",
        "There is no lift and she uses a wheelchair",
        "leave out what is not suitable for wheelchairs",
    ],
)
def test_somebody_who_cannot_walk_well_is_a_strong_sign(text: str) -> None:
    assert strength("mobility-limited", text) == "strong"


@pytest.mark.parametrize(
    "text",
    [
        "no wheelchair needed",
        "wheelchair is not needed",
        "we do not need a wheelchair",
        "nobody uses a wheelchair",
        "no mobility issues",
        "not disabled",
        "不需要轮椅",
        "没有行动不便的人",
        "膝盖没问题",
    ],
)
def test_a_need_that_is_denied_is_only_a_hint(text: str) -> None:
    one = finding("mobility-limited", text)
    assert one is not None
    assert (one.strength, one.message) == (
        "weak",
        "The request mentions “%(words)s”, but seems to rule it out.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "带两位老人",
        "65岁父亲",
        "少走路",
        "不想每天走很多路",
        "elderly travelers",
        "with my grandparents",
        "seniors",
        "less walking please",
        "we don't want to walk too much",
        "avoid stairs",
    ],
)
def test_age_and_the_wish_to_walk_less_are_hints(text: str) -> None:
    assert strength("mobility-limited", text) == "weak"


def test_an_elderly_group_is_a_hint() -> None:
    one = finding("mobility-limited", group_type="elderly")
    assert one is not None
    assert (one.strength, one.sentence) == (
        "weak",
        "The group type is “elderly”; that walking is hard is not said.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "少走弯路",
        "少走回头路",
        "不能走回头路",
        "骨折价机票",
        "沟通无障碍",
        "urban mobility museum",
        "a wheelchair basketball match",
        "easily accessible by metro",
        "I am a senior manager",
        "we love to walk a lot",
        "step by step",
        "at the foot of the hill",
        "hip cafes",
    ],
)
def test_other_senses_of_the_words_are_nothing(text: str) -> None:
    assert strength("mobility-limited", text) is None


@pytest.mark.parametrize(
    ("needs", "expected"),
    [
        (["轮椅"], "strong"),
        (["无障碍"], "strong"),
        (["limited_mobility"], "strong"),
        (["knees"], "strong"),
        (["no stairs"], "strong"),
        (["少走路", "行动不便"], "strong"),
        (["少走路"], "weak"),
        (["slow walker"], "weak"),
        (["none"], None),
        (["无"], None),
        (["no restrictions"], None),
        (["no wheelchair needed"], None),
        (["不需要轮椅"], None),
        ([""], None),
        ([], None),
        (None, None),
    ],
)
def test_the_field_for_mobility_is_read(needs: list[str] | None, expected: str | None) -> None:
    assert strength("mobility-limited", mobility=needs) == expected


def test_the_strongest_of_field_text_and_lodging_counts() -> None:
    assert strength("mobility-limited", "坐轮椅", mobility=["少走路"]) == "strong"
    assert strength("mobility-limited", "带老人", mobility=["轮椅"]) == "strong"
    assert strength("mobility-limited", lodging="wheelchair_accessible") == "strong"
    one = finding("mobility-limited", mobility=["轮椅"])
    assert one is not None
    assert one.sentence == "The request's mobility needs say “轮椅”."
