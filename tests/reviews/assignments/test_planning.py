"""Who reviews what: every rule held, nothing missing that could be had, loads and pairs even."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations, combinations_with_replacement
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reviews.assignments.plan import (
    Assignment,
    ExistingReview,
    Person,
    PersonPlan,
    Plan,
    Reason,
    Refusal,
    Status,
    ToReview,
    UnevenLoad,
    UnevenPair,
    Why,
)
from reviews.assignments.planner import plan
from tests.bed import soak

EXAMPLES = soak.size(short=40, long=10_000)
STATUSES: tuple[Status, ...] = ("assigned", "draft", "submitted", "declined", "withdrawn")
COUNTED = ("assigned", "draft", "submitted")


def person(
    username: str,
    *languages: str,
    capacity: int = 20,
    open_reviews: int = 0,
    is_away: bool = False,
    has_seen_scores: bool = False,
) -> Person:
    return Person(username, capacity, open_reviews, frozenset(languages), is_away, has_seen_scores)


def case(key: str, *languages: str, made_by: str = "") -> ToReview:
    return ToReview(key, frozenset(languages), frozenset({made_by} if made_by else ()))


def cases(count: int) -> list[ToReview]:
    return [case(f"c{number:02}") for number in range(count)]


def people(count: int) -> list[Person]:
    return [person(f"p{number:02}", capacity=500) for number in range(count)]


RITA, OMAR, WEI = person("rita"), person("omar"), person("wei")


# --- What a plan comes to -------------------------------------------------------------------------


def standing_after(made: Plan, before: Iterable[ExistingReview]) -> list[ExistingReview]:
    """As the platform would write it."""
    new = [ExistingReview(one.case_key, one.username, "assigned") for one in made.assignments]
    return [*before, *new]


def people_after(made: Plan, before: Iterable[Person]) -> list[Person]:
    open_after = {one.username: one.open_after for one in made.people}
    return [replace(one, open_reviews=open_after[one.username]) for one in before]


def loads(made: Plan) -> dict[str, int]:
    return {one.username: one.after for one in made.people}


def meetings(made: Plan) -> Counter[tuple[str, str]]:
    """How many cases each pair shares, those who never meet included."""
    names = [one.username for one in made.people]
    counts = Counter(dict.fromkeys(combinations(names, 2), 0))
    for one in made.cases:
        known = sorted({*one.standing, *one.added} & set(names))
        counts.update(combinations(known, 2))
    return counts


def spread(counts: Iterable[int]) -> int:
    found = list(counts)
    return max(found) - min(found) if found else 0


# --- Brute force ----------------------------------------------------------------------------------


def status_of(standing: Iterable[ExistingReview], one: ToReview, who: Person) -> Status | None:
    key = (one.case_key, who.username)
    return next((own.status for own in standing if (own.case_key, own.username) == key), None)


def truths(who: Person, one: ToReview, standing: Iterable[ExistingReview]) -> set[Why]:
    """The rules, said once more: what keeps the person from the case, room aside."""
    status = status_of(standing, one, who)
    held = {
        Why.ON_THE_CASE: status in COUNTED,
        Why.DECLINED: status == "declined",
        Why.WITHDRAWN: status == "withdrawn",
        Why.MADE_THE_CASE: who.username in one.produced_by,
        Why.SEEN_SCORES: who.has_seen_scores,
        Why.AWAY: who.is_away,
        Why.LANGUAGE: any(language not in (who.languages or ()) for language in one.languages),
    }
    return {why for why, holds in held.items() if holds}


def places_of(one: ToReview, standing: Iterable[ExistingReview], per_case: int) -> int:
    counted = sum(own.case_key == one.case_key and own.status in COUNTED for own in standing)
    return max(0, per_case - counted)


Added = tuple[int, ...]


def every_outcome(
    to_review: Sequence[ToReview],
    asked: Sequence[Person],
    standing: Sequence[ExistingReview],
    per_case: int,
) -> set[tuple[Added, int]]:
    """How many each person could get within their room, and how many cases then have somebody."""
    found: set[tuple[Added, int]] = {((0,) * len(asked), 0)}
    for one in to_review:
        may = [place for place, who in enumerate(asked) if not truths(who, one, standing)]
        places = places_of(one, standing, per_case)
        most = min(places, len(may))
        groups = list(chain(*(combinations(may, size) for size in range(most + 1))))
        found = {
            (
                tuple(own + (place in group) for place, own in enumerate(added)),
                served + (bool(group) or places < per_case),
            )
            for added, served in found
            for group in groups
            if all(asked[place].limit - asked[place].open_reviews > added[place] for place in group)
        }
    return found


LANGUAGES = st.frozensets(st.sampled_from(["en", "zh"]))
NAMES = ("rita", "omar", "wei", "ada")
KEYS = ("a", "b", "c", "d", "e")
RARELY = st.sampled_from([False, False, False, False, True])

Situation = tuple[list[ToReview], list[Person], list[ExistingReview], int]


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Few people, few cases, every limit; also work of somebody who left and of a gone case."""
    asked = [
        Person(
            username=name,
            capacity=draw(st.integers(0, 5)),
            open_reviews=draw(st.integers(0, 2)),
            languages=draw(
                st.sampled_from([frozenset({"en", "zh"}), frozenset({"en"})]) | LANGUAGES
            ),
            is_away=draw(RARELY),
            has_seen_scores=draw(RARELY),
        )
        for name in NAMES[: draw(st.integers(0, 4))]
    ]
    made_by = st.sampled_from([frozenset[str](), frozenset[str](), frozenset({"rita"})])
    to_review = [
        ToReview(key, draw(LANGUAGES), draw(made_by)) for key in KEYS[: draw(st.integers(0, 5))]
    ]
    keys = st.tuples(st.sampled_from((*KEYS, "gone")), st.sampled_from((*NAMES, "sam")))
    statuses = draw(st.dictionaries(keys, st.sampled_from(STATUSES), max_size=4))
    standing = [ExistingReview(*key, status=status) for key, status in statuses.items()]
    return to_review, asked, standing, draw(st.integers(1, 3))


# --- The rules ------------------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_a_plan_holds_every_rule(situation: Situation) -> None:
    to_review, asked, standing, per_case = situation
    made = plan(*situation)
    by_key = {one.case_key: one for one in to_review}
    by_name = {one.username: one for one in asked}
    assert [one.case_key for one in made.cases] == sorted(by_key)
    assert [one.username for one in made.people] == sorted(by_name)
    for assignment in made.assignments:
        who, one = by_name[assignment.username], by_key[assignment.case_key]
        assert truths(who, one, standing) == set()
    for row in made.cases:
        one = by_key[row.case_key]
        assert len(set(row.added)) == len(row.added)
        assert len(row.added) + row.missing == places_of(one, standing, per_case)
        assert set(row.standing) == {
            own.username
            for own in standing
            if own.case_key == row.case_key and own.status in COUNTED
        }
    given_to = Counter(one.username for one in made.assignments)
    counted = Counter(own.username for own in standing if own.status in COUNTED)
    for own in made.people:
        who = by_name[own.username]
        assert own == PersonPlan(
            who.username,
            counted[who.username],
            given_to[who.username],
            who.open_reviews,
            who.capacity,
        )
        assert own.added == 0 or own.open_after <= own.limit


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_nothing_is_missing_that_could_be_had_and_loads_are_as_even_as_can_be(
    situation: Situation,
) -> None:
    _to_review, asked, _standing, _per_case = situation
    made = plan(*situation)
    rows = {one.username: one for one in made.people}
    ordered = [rows[one.username] for one in asked]
    outcomes = every_outcome(*situation)
    most = max(sum(added) for added, _served in outcomes)
    assert len(made.assignments) == most
    assert sum(one.after**2 for one in ordered) == min(
        sum((one.before + more) ** 2 for one, more in zip(ordered, added, strict=True))
        for added, _served in outcomes
        if sum(added) == most
    )


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_too_few_reviewers_are_spread_over_as_many_cases_as_can_be(situation: Situation) -> None:
    made = plan(*situation)
    served = sum(bool(one.added or one.standing) for one in made.cases)
    assert served == max(served for _added, served in every_outcome(*situation))


def busy_situation(seed: int) -> Situation:
    """Too large for brute force: several languages, little room, some work done."""
    chance = random.Random(seed)
    names = [f"p{number}" for number in range(chance.randint(3, 8))]
    tongues = [("en",), ("zh",), ("en", "zh"), ("en", "fr"), ("zh", "fr")]
    asked = [
        person(name, *chance.choice(tongues), capacity=chance.choice((2, 5, 7, 30)))
        for name in names
    ]
    to_review = [
        case(f"c{number}", *chance.choice(tongues[:3]), made_by=chance.choice(("", *names)))
        for number in range(chance.randint(5, 16))
    ]
    standing = [
        ExistingReview(one.case_key, name, chance.choice(STATUSES))
        for one in to_review
        for name in names
        if chance.random() < 0.04
    ]
    return to_review, asked, standing, chance.randint(1, 3)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 10**6))
@example(seed=82)
@example(seed=16893)
def test_no_chain_of_people_handing_on_cases_would_help(seed: int) -> None:
    """What proves a flow to be a largest one of least cost, read off the plan alone."""
    to_review, asked, standing, per_case = busy_situation(seed)
    made = plan(to_review, asked, standing, per_case)
    names = [who.username for who in asked]
    rows = {one.username: one for one in made.people}
    added = {one.case_key: one.added for one in made.cases}
    may = {
        one.case_key: {who.username for who in asked if not truths(who, one, standing)}
        for one in to_review
    }
    assert all(set(on) <= may[key] for key, on in added.items())
    assert all(one.added <= max(0, one.limit - one.open_reviews) for one in made.people)

    def within_reach(key: str) -> set[str]:
        found = may[key] - set(added[key])
        for _step in names:
            for other, on in added.items():
                found |= (may[other] - set(on)) if found.intersection(on) else set()
        return {name for name in found if rows[name].open_after < rows[name].limit}

    for short in made.shortfalls:
        assert within_reach(short.case_key) == set()
    for assignment in made.assignments:
        lowest = rows[assignment.username].after - 1
        assert all(rows[name].after >= lowest for name in within_reach(assignment.case_key))


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_whoever_does_not_take_a_case_that_misses_somebody_has_all_true_reasons(
    situation: Situation,
) -> None:
    to_review, asked, standing, _per_case = situation
    made = plan(*situation)
    by_key = {one.case_key: one for one in to_review}
    full = {one.username for one in made.people if one.open_after >= one.limit}
    assert [one for one in made.cases if one.refusals] == [one for one in made.shortfalls if asked]
    for row in made.shortfalls:
        assert [one.username for one in row.refusals] == sorted(one.username for one in asked)
        told = {one.username: one.reasons for one in row.refusals}
        for who in asked:
            expected = truths(who, by_key[row.case_key], standing)
            if who.username in (*row.added, *row.standing):
                expected = {Why.ON_THE_CASE}
            elif who.username in full:
                expected |= {Why.CAPACITY}
            assert {reason.why for reason in told[who.username]} == expected
            assert expected


def always_against(who: Person, made: Plan) -> set[Why]:
    """What keeps the person from every case alike."""
    [own] = [one for one in made.people if one.username == who.username]
    held = {
        Why.SEEN_SCORES: who.has_seen_scores,
        Why.AWAY: who.is_away,
        Why.CAPACITY: own.open_after >= own.limit,
    }
    return {why for why, holds in held.items() if holds}


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_whoever_has_two_fewer_than_another_has_a_reason_for_each_review_of_theirs(
    situation: Situation,
) -> None:
    to_review, asked, standing, _per_case = situation
    made = plan(*situation)
    by_key = {one.case_key: one for one in to_review}
    rows = {one.username: one for one in made.people}
    most = max(loads(made).values(), default=0)
    told = {one.username: one for one in made.uneven_loads}
    assert set(told) == {name for name, load in loads(made).items() if load <= most - 2}
    for who in asked:
        if who.username not in told:
            continue
        load = rows[who.username].after
        heavier = {name for name, row in rows.items() if row.after >= load + 2}
        expected = always_against(who, made)
        if not expected:
            expected = {Why.STANDING_WORK for name in heavier if rows[name].before}
            for row in made.cases:
                if heavier.intersection(row.added):
                    reasons = truths(who, by_key[row.case_key], standing)
                    reasons |= {Why.ON_THE_CASE} if who.username in row.added else set()
                    assert reasons
                    expected |= reasons
        assert {reason.why for reason in told[who.username].reasons} == expected
        assert (told[who.username].load, told[who.username].most) == (load, most)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_a_pair_that_meets_twice_less_than_another_has_a_reason_that_holds(
    situation: Situation,
) -> None:
    to_review, asked, standing, _per_case = situation
    made = plan(*situation)
    by_name = {one.username: one for one in asked}
    after, pairs = loads(made), meetings(made)
    most = max(pairs.values(), default=0)
    assert {one.usernames: (one.meetings, one.most) for one in made.uneven_pairs} == {
        pair: (count, most)
        for pair, count in pairs.items()
        if count <= most - 2 and all(after[name] for name in pair)
    }
    for uneven in made.uneven_pairs:
        holding = {Why.STANDING_WORK} if standing else set()
        for name in uneven.usernames:
            holding |= always_against(by_name[name], made)
            for one in to_review:
                holding |= truths(by_name[name], one, standing)
        whys = {reason.why for reason in uneven.reasons}
        assert whys
        assert whys <= holding or whys == {Why.NO_BETTER_FOUND}


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations(), chance=st.randoms(use_true_random=False))
def test_the_order_in_which_things_come_does_not_matter(
    situation: Situation, chance: random.Random
) -> None:
    to_review, asked, standing, per_case = situation
    shuffled = plan(
        iter(chance.sample(to_review, len(to_review))),
        iter(chance.sample(asked, len(asked))),
        iter(chance.sample(standing, len(standing))),
        per_case,
    )
    assert shuffled == plan(*situation)


# --- Planning again -------------------------------------------------------------------------------


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_planning_again_adds_nothing_and_misses_the_same(situation: Situation) -> None:
    to_review, asked, standing, per_case = situation
    made = plan(*situation)
    again = plan(to_review, people_after(made, asked), standing_after(made, standing), per_case)
    assert again.assignments == ()
    assert [(one.case_key, one.missing) for one in again.shortfalls] == [
        (one.case_key, one.missing) for one in made.shortfalls
    ]
    assert loads(again) == loads(made)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=situations())
def test_a_new_reviewer_and_a_new_case_move_no_assignment(situation: Situation) -> None:
    to_review, asked, standing, per_case = situation
    made = plan(*situation)
    newcomer = person("zoe", "en", "zh")
    after = plan(
        [*to_review, case("new")],
        [*people_after(made, asked), newcomer],
        standing_after(made, standing),
        per_case,
    )
    rows = {one.case_key: one for one in after.cases}
    for one in made.cases:
        assert set(rows[one.case_key].standing) == {*one.standing, *one.added}
        assert len(rows[one.case_key].added) <= one.missing
    assert rows["new"].added


def test_a_newcomer_catches_up_on_new_cases_and_the_gap_is_put_down_to_standing_work() -> None:
    first = plan(cases(6), [RITA, OMAR], [], 2)
    stands = standing_after(first, [])
    asked = [*people_after(first, [RITA, OMAR]), WEI]
    made = plan(cases(9), asked, stands, 2)
    assert loads(made)["wei"] == 3
    assert sorted(loads(made).values()) == [3, 7, 8]
    [uneven] = made.uneven_loads
    assert (uneven.username, uneven.load, uneven.most) == ("wei", 3, 8)
    assert uneven.reasons == (Reason(Why.ON_THE_CASE, 3), Reason(Why.STANDING_WORK, 12))


def test_submitted_work_counts_for_evenness_but_takes_no_room() -> None:
    done = [ExistingReview("c00", "rita", "submitted"), ExistingReview("c01", "rita", "submitted")]
    asked = [person("rita", capacity=1), OMAR]
    made = plan(cases(4), asked, done, 1)
    assert loads(made) == {"rita": 2, "omar": 2}
    made = plan(cases(7), asked, done, 1)
    assert loads(made) == {"rita": 3, "omar": 4}


def test_work_on_a_case_that_left_the_sample_counts_as_load_only() -> None:
    gone = [
        ExistingReview("gone", "rita", "submitted"),
        ExistingReview("gone", "omar", "submitted"),
    ]
    made = plan(cases(1), [RITA, OMAR, WEI], gone, 1)
    assert made.assignments == (Assignment("c00", "wei"),)
    assert [one.case_key for one in made.cases] == ["c00"]
    assert made.uneven_pairs == ()


def test_work_of_somebody_who_is_not_asked_any_more_counts_for_the_case() -> None:
    made = plan(cases(1), [RITA, OMAR], [ExistingReview("c00", "sam", "submitted")], 2)
    [row] = made.cases
    assert row.standing == ("sam",)
    assert (len(row.added), row.missing) == (1, 0)


def test_more_reviewers_than_asked_for_stay() -> None:
    stands = [ExistingReview("c00", name, "draft") for name in ("rita", "omar")]
    [row] = plan(cases(1), [RITA, OMAR, WEI], stands, 1).cases
    assert (row.standing, row.added, row.missing) == (("omar", "rita"), (), 0)


# --- Limits, just inside and just outside ---------------------------------------------------------


def refusals(made: Plan) -> dict[str, list[Reason]]:
    [row] = made.shortfalls
    return {one.username: list(one.reasons) for one in row.refusals}


def test_capacity_is_the_most_that_is_open_at_one_time() -> None:
    made = plan(cases(2), [person("rita", capacity=5, open_reviews=3)], [], 1)
    assert len(made.assignments) == 2
    made = plan(cases(2), [person("rita", capacity=5, open_reviews=4)], [], 1)
    assert len(made.assignments) == 1
    assert refusals(made) == {"rita": [Reason(Why.CAPACITY)]}
    for full in (person("rita", capacity=0), person("rita", capacity=1, open_reviews=3)):
        assert refusals(plan(cases(1), [full], [], 1)) == {"rita": [Reason(Why.CAPACITY)]}


def test_all_languages_of_request_and_plan_must_be_read() -> None:
    mixed = [case("mixed", "zh", "en")]
    assert plan(mixed, [person("rita", "en", "zh", "fr")], [], 1).missing == 0
    made = plan(mixed, [person("rita", "en")], [], 1)
    assert refusals(made) == {"rita": [Reason(Why.LANGUAGE, languages=("zh",))]}


def test_with_no_language_named_only_a_case_without_one_is_assigned() -> None:
    made = plan([case("plain"), case("english", "en")], [RITA], [], 1)
    assert made.assignments == (Assignment("plain", "rita"),)
    assert refusals(made) == {"rita": [Reason(Why.LANGUAGE, languages=("en",))]}


def test_nobody_reviews_what_they_made() -> None:
    made = plan([case("own", made_by="rita")], [RITA, OMAR], [], 2)
    assert made.assignments == (Assignment("own", "omar"),)
    assert refusals(made) == {
        "omar": [Reason(Why.ON_THE_CASE)],
        "rita": [Reason(Why.MADE_THE_CASE)],
    }


def test_every_reason_is_told_at_once() -> None:
    rita = person("rita", "en", capacity=0, is_away=True, has_seen_scores=True)
    stands = [ExistingReview("own", "rita", "declined")]
    made = plan([case("own", "zh", made_by="rita")], [rita], stands, 1)
    [row] = made.shortfalls
    assert row.refusals == (
        Refusal(
            "rita",
            (
                Reason(Why.DECLINED),
                Reason(Why.MADE_THE_CASE),
                Reason(Why.SEEN_SCORES),
                Reason(Why.AWAY),
                Reason(Why.LANGUAGE, languages=("zh",)),
                Reason(Why.CAPACITY),
            ),
        ),
    )


@pytest.mark.parametrize("status", ["declined", "withdrawn"])
def test_whoever_left_a_case_is_not_proposed_for_it_again_but_for_others(status: Status) -> None:
    made = plan(cases(2), [RITA], [ExistingReview("c00", "rita", status)], 1)
    assert made.assignments == (Assignment("c01", "rita"),)
    assert refusals(made) == {"rita": [Reason(Why(status))]}
    [row] = made.people
    assert (row.before, row.added, row.after) == (0, 1, 1)


@pytest.mark.parametrize("status", COUNTED)
def test_whoever_is_on_a_case_counts_once_and_is_not_asked_twice(status: Status) -> None:
    made = plan(cases(1), [RITA, OMAR], [ExistingReview("c00", "rita", status)], 2)
    assert made.assignments == (Assignment("c00", "omar"),)


def test_somebody_hands_on_a_case_so_that_another_can_be_filled() -> None:
    """Only rita reads Chinese, and she has room for one: English goes to omar, in any order."""
    rita, omar = person("rita", "en", "zh", capacity=1), person("omar", "en", capacity=9)
    for number in range(20):
        to_review = [case(f"en-{number}", "en"), case(f"zh-{number}", "zh")]
        made = plan(to_review, [rita, omar], [], 1)
        assert set(made.assignments) == {
            Assignment(f"en-{number}", "omar"),
            Assignment(f"zh-{number}", "rita"),
        }


def test_a_case_that_has_nobody_comes_before_one_that_has_somebody() -> None:
    for number in range(20):
        keys = (f"{number}-alone", f"{number}-served")
        made = plan(
            [case(key) for key in keys],
            [person("rita", capacity=1)],
            [ExistingReview(keys[1], "sam", "submitted")],
            2,
        )
        assert made.assignments == (Assignment(keys[0], "rita"),)


def test_an_absence_and_a_look_at_scores_explain_an_uneven_load() -> None:
    away = person("ada", is_away=True)
    seen = person("mina", has_seen_scores=True)
    made = plan(cases(4), [RITA, OMAR, away, seen], [], 2)
    assert loads(made) == {"rita": 4, "omar": 4, "ada": 0, "mina": 0}
    assert made.uneven_loads == (
        UnevenLoad("ada", 0, 4, (Reason(Why.AWAY, 8),)),
        UnevenLoad("mina", 0, 4, (Reason(Why.SEEN_SCORES, 8),)),
    )
    assert made.uneven_pairs == ()


def test_loads_one_apart_need_no_reason_and_two_apart_have_one() -> None:
    made = plan(cases(3), [person("rita", capacity=1), OMAR], [], 1)
    assert (loads(made), made.uneven_loads) == ({"rita": 1, "omar": 2}, ())
    made = plan(cases(4), [person("rita", capacity=1), OMAR], [], 1)
    assert made.uneven_loads == (UnevenLoad("rita", 1, 3, (Reason(Why.CAPACITY, 3),)),)


def test_a_pair_that_rarely_meets_has_its_reason() -> None:
    made = plan(cases(6), [RITA, OMAR, person("wei", capacity=2)], [], 2)
    assert loads(made) == {"rita": 5, "omar": 5, "wei": 2}
    assert made.uneven_pairs == (
        UnevenPair(("omar", "wei"), 1, 4, (Reason(Why.CAPACITY, 6),)),
        UnevenPair(("rita", "wei"), 1, 4, (Reason(Why.CAPACITY, 6),)),
    )


def test_a_pair_that_standing_work_keeps_apart_says_so() -> None:
    """Wei could have joined either of them on a case that has one of them, but not both."""
    stands = [
        ExistingReview(f"c0{number}", name, "draft")
        for number in (0, 1)
        for name in ("rita", "omar")
    ]
    made = plan(cases(3), [RITA, OMAR, WEI], [*stands, ExistingReview("c02", "rita", "draft")], 2)
    assert made.assignments == (Assignment("c02", "wei"),)
    assert made.uneven_pairs == (
        UnevenPair(("omar", "wei"), 0, 2, (Reason(Why.STANDING_WORK, 3),)),
    )


# --- Nothing --------------------------------------------------------------------------------------


def test_no_cases_no_people_and_no_places_plan_nothing() -> None:
    assert plan([], [], [], 2) == Plan((), (), (), ())
    assert plan([], [RITA], [], 2).people == (PersonPlan("rita", 0, 0, 0, 20),)
    alone = plan(cases(2), [], [], 2)
    assert (alone.assignments, alone.missing) == ((), 4)
    assert all(one.refusals == () for one in alone.cases)
    assert plan(cases(2), [RITA], [], 0).assignments == ()


# --- A fresh plan without limits ------------------------------------------------------------------


def even(total: int, parts: int) -> int:
    """The least sum of squares of so many whole numbers that add up to the total."""
    each, more = divmod(total, parts)
    return (parts - more) * each**2 + more * (each + 1) ** 2


def least_squares(persons: int, count: int, per_case: int) -> int:
    """No plan with even loads has a smaller sum of squared pair counts, for two reasons.

    A person with n cases has n * (per_case - 1) meetings, at best spread evenly over the others.
    And counted the other way round: the sum over ordered pairs of people, everybody paired with
    themselves too, of squared shared cases is the same as that over pairs of cases of squared
    shared people, since both count the pairs of people on pairs of cases. What cases share adds
    up to the sum of squared loads, at best spread evenly.
    """
    own = [(count * per_case + place) // persons for place in range(persons)]
    squares = sum(load**2 for load in own)
    by_people = sum(even(load * (per_case - 1), persons - 1) for load in own)
    shared = (squares - count * per_case) // 2
    by_cases = count * per_case**2 + 2 * even(shared, comb(count, 2) or 1) - squares
    return max(-(-by_people // 2), -(-by_cases // 2))


def brute_force_best(persons: int, count: int, per_case: int) -> int:
    """By trying every plan with loads at most one apart."""
    groups = list(combinations(range(persons), per_case))
    best = []
    for chosen in combinations_with_replacement(groups, count):
        own = Counter(dict.fromkeys(range(persons), 0))
        own.update(chain(*chosen))
        if spread(own.values()) <= 1:
            pairs = Counter(chain(*(combinations(group, 2) for group in chosen)))
            best.append(sum(met**2 for met in pairs.values()))
    return min(best)


SIZES = [
    (persons, per_case, count)
    for persons in range(2, 8)
    for per_case in range(1, persons + 1)
    for count in range(1, 13)
]


def test_a_fresh_plan_has_even_loads_and_pairs_within_a_tenth_of_the_best() -> None:
    assert len(SIZES) == 324
    for persons, per_case, count in SIZES:
        made = plan(cases(count), people(persons), [], per_case)
        pairs = meetings(made)
        size = (persons, per_case, count)
        assert made.missing == 0, size
        assert spread(loads(made).values()) <= 1, size
        assert made.uneven_loads == (), size
        if per_case == 2:
            assert spread(pairs.values()) <= 1, size
        least = least_squares(persons, count, per_case)
        assert least <= sum(met**2 for met in pairs.values()) <= 1.1 * least, size


def test_the_bound_that_stands_in_for_brute_force_is_never_above_it() -> None:
    for persons, per_case, count in SIZES:
        tries = comb(comb(persons, per_case) + count - 1, count)
        if tries <= soak.size(short=800, long=60_000):
            best = brute_force_best(persons, count, per_case)
            assert least_squares(persons, count, per_case) <= best


@pytest.mark.soak
@settings(max_examples=soak.size(short=15, long=2_000), deadline=None)
@given(persons=st.integers(2, 16), count=st.integers(0, 130))
def test_two_per_case_meet_evenly_however_many_they_are(persons: int, count: int) -> None:
    made = plan(cases(count), people(persons), [], 2)
    assert made.missing == 0
    assert spread(loads(made).values()) <= 1
    assert spread(meetings(made).values()) <= 1
    assert (made.uneven_loads, made.uneven_pairs) == ((), ())


def test_the_review_more_does_not_always_fall_to_the_same_person() -> None:
    extra = set()
    for release in range(20):
        made = plan([case(f"{release}-{n}") for n in range(4)], [RITA, OMAR, WEI], [], 1)
        extra |= {one.username for one in made.people if one.after == 2}
    assert extra == {"rita", "omar", "wei"}


def test_an_unevenness_that_no_limit_explains_says_that_nothing_better_was_found() -> None:
    """Three of four people on each of two cases: two are on both, and two never meet."""
    [uneven] = plan(cases(2), people(4), [], 3).uneven_pairs
    assert (uneven.meetings, uneven.most) == (0, 2)
    assert uneven.reasons == (Reason(Why.NO_BETTER_FOUND),)
