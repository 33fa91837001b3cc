"""Whatever stands in a case: it gets tags in good form, in reasonable time, and never an error."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases.itinerary.format import Budget, Case, Day, Plan, PlanBudget, Request
from cases.tags.detectors import Window, detect
from tests.bed import growth, soak

pytestmark = pytest.mark.soak

WORDS = """
春节 | 过年 | 避开 | 去年 | 北京 | 去 | 从 | 到 | 上海 | 烤鸭 | 3天 | 一日 | 带孩子 | 亲子 | 不带
没有 | 酒店允许 | 轮椅 | 行动不便 | 不需要 | 老人 | 少走路 | 特种兵 | 必去 | 、 | ， | 。 | 穷游
预算 | 免费景点 | 5岁 | 一家三口 | Spring Festival | Chinese New Year | avoid | not during | to
from | Beijing | duck | Xi'an | trip | 3 days | with | two kids | children | no | family | of four
hotels that allow | wheelchair | needed | can't walk | elderly | tight schedule | cheap
on a budget | of | 2026-02-14 | February 30, 2026 | 2026年2月14日 | in May | , | . | n't | 's
%(x)s | \u200b | İ | ﬁ | 😀 | １２ | _
"""
words = st.sampled_from(re.split(r" \| |\n", WORDS.strip("\n"))) | st.text(max_size=6)
texts = st.lists(words, min_size=1, max_size=25).flatmap(
    lambda parts: st.sampled_from(["", " "]).map(lambda gap: gap.join(parts))
)
# These say the same in capitals and in wide letters; a list of names does not.
phrases = st.lists(
    st.sampled_from([word for word in re.split(r" \| |\n", WORDS) if word.isascii() and word]),
    max_size=15,
).map(" ".join)

some = st.none() | texts
lists = st.none() | st.lists(texts, max_size=4)
dates = st.none() | st.dates().map(lambda date: date.isoformat()) | st.just("2026-02-30")
amounts = st.none() | st.floats(-10, 1e6, allow_nan=False)
currencies = st.sampled_from([None, "CNY", "RMB", "USD", "$", ""])
requests = st.builds(
    Request,
    text=texts,
    origin=some,
    destination=some | lists,
    start_date=dates,
    end_date=dates,
    days=st.none() | st.integers(1, 100_000),
    people=st.none() | st.integers(1, 100_000),
    group_type=st.sampled_from([None, "family", "elderly", "solo"]),
    budget=st.none()
    | st.builds(
        Budget,
        amount=amounts,
        currency=currencies,
        scope=st.sampled_from([None, "total", "per person", "每天", "x"]),
    ),
    must_visit=lists,
    avoid=lists,
    mobility=lists,
    goals=lists,
    pace=st.sampled_from([None, "relaxed", "intensive"]),
    lodging=some | lists,
)
plans = st.none() | st.builds(
    Plan,
    days=st.none() | st.lists(st.builds(Day, date=dates), max_size=3),
    budget=st.none()
    | st.builds(
        PlanBudget,
        currency=currencies,
        total=amounts,
        minimum_feasible=amounts,
        warning=some,
    ),
)
many = settings(
    max_examples=soak.size(short=75, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

tried: list[str] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    bad = request.session.testsfailed - failed_before
    soak.report(request.node.name, tried=len(tried), bad=bad)


def strengths(text: str) -> dict[str, str]:
    tried.append(text)
    return {finding.tag: finding.strength for finding in detect(Case("k", Request(text)))}


@many
@given(requests, plans)
def test_any_case_gets_tags_in_good_form(request: Request, plan: Plan | None) -> None:
    tried.append(request.text)
    case = Case("k", request, plan=plan)
    found = detect(case)
    tags = [item.tag for item in found]
    assert len(tags) == len(set(tags))
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", tag) and len(tag) <= 80 for tag in tags)
    assert all(item.strength in ("strong", "weak") for item in found)
    assert all(item.sentence and len(item.sentence) < 500 for item in found)
    assert all(type(value) in (str, int) for item in found for value in item.params.values())
    assert detect(case) == found


@many
@given(phrases)
def test_capitals_and_wide_letters_say_the_same(text: str) -> None:
    wide = "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)
    plain = strengths(text)
    assert strengths(text.upper()) == plain
    assert strengths(wide) == plain


@many
@given(texts)
def test_a_sentence_before_takes_nothing_away(text: str) -> None:
    order = {"weak": 0, "strong": 1}
    alone, after = strengths(text), strengths(f"Hello there.\n{text}")
    assert all(order[after.get(tag, "weak")] >= order[alone[tag]] for tag in alone)
    assert alone.keys() <= after.keys()


@many
@given(st.dates(), st.integers(0, 40), st.integers(0, 40), st.integers(0, 9), st.integers(0, 9))
def test_a_wider_window_loses_no_trip(
    start: object, before: int, after: int, more_before: int, more_after: int
) -> None:
    tried.append(str(start))
    case = Case("k", Request("A trip.", start_date=str(start)))
    narrow = detect(case, festival_window=Window(before, after))
    wide = detect(case, festival_window=Window(before + more_before, after + more_after))
    assert {item.tag for item in narrow} <= {item.tag for item in wide}


@pytest.mark.parametrize(
    "bit",
    [
        "kid ",
        "with a the my our ",
        "not with a kid",
        "和孩",
        "不带孩子",
        "北京",
        "to Beijing, ",
        "walk ",
    ],
)
def test_a_hostile_text_costs_no_more_than_its_length(bit: str) -> None:
    tried.append(bit)

    small, large = (Case("k", Request((bit * size)[:size])) for size in (5_000, 20_000))
    # Four times the text: a cost that grows with the square would be sixteen times as high.
    assert growth.grows_at_most(10, lambda: detect(small), lambda: detect(large), slack=0.002)


def test_what_comes_after_20_000_characters_is_not_read() -> None:
    assert strengths("a" * 19_000 + " 去北京 ") == {"beijing": "strong"}
    assert strengths("a" * 20_000 + " 去北京 ") == {}
