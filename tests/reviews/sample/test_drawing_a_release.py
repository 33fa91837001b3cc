"""Drawing the sample of a release: what can be drawn, what is refused, and what is kept of it."""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from itertools import permutations
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import imports, ledger
from cases.models import Release, Rubric
from cases.models.releases import Event
from cases.releases import workflow as releases_workflow
from cases.rubrics import workflow as rubrics_workflow
from cases.tags import workflow as tags_workflow
from reviews.errors import Refused, WrongStatus
from reviews.models import Draw, SampledCase, Waiver
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.sample import amendments
from reviews.sample import workflow as sample_workflow
from reviews.sample.reasons import explain_place
from reviews.sample.rule import Rule
from reviews.sample.workflow import CannotDraw
from tests.bed import soak
from tests.bed.cases import NOW, import_lines, lines, make_case, make_release
from tests.bed.databases import without_triggers
from tests.bed.reviewed import (
    FILLING,
    KIND_OF,
    SPARE,
    TEXT_OF,
    bring,
    current,
    drawn,
    everything,
    filled,
    row,
    sampled,
    started,
)

LATER = NOW + timedelta(hours=1)
LONG_AGO = NOW - timedelta(days=9)
REASON = "Said in the meeting on Monday."
NO_CASE = {key: f"{text}: no case has its tags." for key, text in TEXT_OF.items()}


def draw(release: Release, size: int | None = None, user: User | None = None) -> Draw:
    return sample_workflow.draw(release=release, size=size, user=user, now=LATER)


def refusal_of(release: Release, size: int | None = None) -> CannotDraw:
    with nothing_written(), pytest.raises(CannotDraw) as refused:
        draw(release, size)
    return refused.value


@contextmanager
def nothing_written() -> Iterator[None]:
    before = everything()
    yield
    assert everything() == before


def rows_of(release: Release) -> list[tuple[str, str]]:
    """The sample in its order: case and kind."""
    rows = SampledCase.objects.of(release).standing().in_order()
    return list(rows.values_list("case__case_key", "kind"))


def codes(release: Release, *keys: str) -> list[str]:
    return [release.cases.get(case_key=key).code for key in keys]


def exclude(release: Release, *keys: str) -> None:
    tags_workflow.exclude(
        release=release, codes=codes(release, *keys), reason=REASON, user=None, now=NOW
    )


def waive(release: Release, rule: str) -> None:
    releases_waivers.waive(release=release, rule=rule, reason=REASON, user=None, now=NOW)


def events(release: Release) -> list[Event]:
    ledger.verify(release)
    return list(release.events.order_by("number"))


def rubric_that_says(rule: str, *kinds: str) -> Rubric:
    """The shipped one with another sampling rule."""
    text = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8")
    head = text[: text.index("- Evaluate at least 5")]
    listed = "".join(f"  {number}. {kind}\n" for number, kind in enumerate(kinds, 1))
    said = f"{head}- {rule}:\n{listed}"
    return rubrics_workflow.publish(text=said, language="en", user=None, now=NOW).version


# --- The pool -------------------------------------------------------------------------------------


IN_THE_POOL: dict[str, dict[str, Any]] = {
    "passed": {},
    "passed with a failed check": {"automated_checks": {"has_days": {"status": "fail"}}},
    "passed without a check": {"automated_checks": {}},
    "a single item": {"plan": {"days": [{"day": 1, "items": []}, {"items": [{"title": "Mill"}]}]}},
}
NOT_IN_THE_POOL: dict[str, dict[str, Any]] = {
    "warned": {"automated_summary": {"status": "WARN", "score": 0.9}},
    "failed": {"automated_summary": {"status": "FAIL", "score": 1}},
    "not checked": {"automated_summary": None},
    "no plan": {"plan": None},
    "clarifying": {"plan": {"status": "clarifying"}},
    "error": {"plan": {"status": "error"}},
    "empty": {"plan": {"status": "empty"}},
    "no status": {"plan": {"status": None}},
    "no day": {"plan": {"days": []}},
    "no days": {"plan": {"days": None}},
    "no item": {"plan": {"days": [{"day": 1, "items": []}, {"day": 2, "items": []}]}},
}


def test_drawn_from_are_cases_that_passed_and_have_a_plan_to_read(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    both = {**IN_THE_POOL, **NOT_IN_THE_POOL}
    bring(release, *(row(key, **changes) for key, changes in both.items()))
    done = draw(release)
    assert set(done.order.keys) == {*FILLING, *SPARE, *IN_THE_POOL}
    assert done.pool_size == len(done.order) == 12


def test_an_excluded_case_is_out_of_the_pool_until_it_is_let_in_again(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    exclude(release, "spare-1")
    assert sorted(draw(release).order.keys) == sorted((*FILLING, "spare-2", "spare-3"))
    tags_workflow.let_in(
        release=release, codes=codes(release, "spare-1"), reason=REASON, user=None, now=NOW
    )
    assert sorted(draw(release).order.keys) == sorted((*FILLING, *SPARE))


def test_an_excluded_case_fills_no_kind(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    exclude(release, "rush")
    assert refusal_of(release).sentences == [
        f"{TEXT_OF['rush']}: 1 case has its tags, but it cannot be sampled."
    ]


def test_cases_of_another_release_are_not_drawn(rubric: Rubric) -> None:
    filled("wanderer-2", rubric=rubric)
    release = make_release(rubric=rubric)
    assert len(refusal_of(release).sentences) == 6


def test_a_tag_that_an_admin_took_away_does_not_fill_and_one_given_does(
    rubric: Rubric, ada: User
) -> None:
    release = filled(rubric=rubric)
    options: dict[str, Any] = {"tag": "family", "reason": REASON, "user": ada, "now": NOW}
    tags_workflow.take_away(release=release, codes=codes(release, "kids"), **options)
    assert refusal_of(release).sentences == [NO_CASE["kids"]]
    tags_workflow.give(release=release, codes=codes(release, "spare-2"), **options)
    draw(release)
    assert ("spare-2", KIND_OF["kids"]) in rows_of(release)


def test_a_tag_that_is_declared_and_given_stands_once_in_the_pool(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    before = draw(release)
    release.cases.get(case_key="kids").tags.create(
        tag="family", origin="detected", strength="strong"
    )
    assert draw(release) == before


# --- How many -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [None, 5])
def test_as_many_as_the_rubric_asks_for_unless_more_are_wished(
    rubric: Rubric, size: int | None
) -> None:
    release = filled(rubric=rubric)
    assert draw(release, size).size == 5
    assert rows_of(release) == [(key, KIND_OF[key]) for key in FILLING]


@pytest.mark.parametrize("size", [4, 1, 0, -1])
def test_fewer_than_the_rubric_asks_for_are_refused(rubric: Rubric, size: int) -> None:
    refused = refusal_of(filled(rubric=rubric), size)
    assert refused.sentences == [
        f"The rubric asks for at least 5 cases, so {size} are too few.",
    ]
    assert (refused.code, refused.missing[0].rule) == ("cannot_draw", "cases")


def test_the_whole_pool_can_be_drawn_and_not_one_more(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    assert refusal_of(release, 9).sentences == ["Only 8 cases can be sampled; 9 are wanted."]
    draw(release, 8)
    assert sampled(release) == sorted((*FILLING, *SPARE))


def test_a_rubric_may_ask_for_more_cases_than_kinds(rubric: Rubric) -> None:
    more = rubric_that_says("Evaluate at least 3 cases", "Families `family`", "Ramps `ramp`")
    release = make_release(rubric=more)
    bring(release, row("a", "family"), row("b", "ramp"))
    assert refusal_of(release).sentences == ["Only 2 cases can be sampled; 3 are wanted."]
    bring(release, row("c"), row("d"))
    assert refusal_of(release, 2).sentences == [
        "The rubric asks for at least 3 cases, so 2 are too few."
    ]
    assert draw(release).size == 3
    assert len(rows_of(release)) == 3


def test_with_the_number_waived_the_sample_is_as_large_as_the_pool(rubric: Rubric) -> None:
    release = filled(rubric=rubric, without=SPARE)
    for key in ("rush", "ramp"):
        waive(release, f"kind:{KIND_OF[key]}")
        exclude(release, key)
    assert refusal_of(release).sentences == ["Only 3 cases can be sampled; 5 are wanted."]
    waive(release, "cases")
    assert draw(release).size == 3
    assert sampled(release) == ["feast", "kids", "thrift"]
    assert draw(release, 7).size == 3


def test_a_waived_number_does_not_make_a_sample_of_nothing(rubric: Rubric) -> None:
    release = make_release(rubric=rubric)
    for kind in KIND_OF.values():
        waive(release, f"kind:{kind}")
    waive(release, "cases")
    assert refusal_of(release).sentences == ["Only 0 cases can be sampled; 5 are wanted."]


def test_a_waived_number_lets_no_kind_go(rubric: Rubric) -> None:
    release = filled(rubric=rubric, without=["rush", *SPARE])
    waive(release, "cases")
    assert refusal_of(release).sentences == [NO_CASE["rush"]]


# --- Kinds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", FILLING)
def test_each_kind_that_nothing_fills_is_named(rubric: Rubric, key: str) -> None:
    refused = refusal_of(filled(rubric=rubric, without=[key]))
    assert refused.sentences == [NO_CASE[key]]
    assert [one.rule for one in refused.missing] == [f"kind:{KIND_OF[key]}"]


def test_everything_that_is_wrong_is_said_at_once(rubric: Rubric) -> None:
    assert refusal_of(make_release(rubric=rubric)).sentences == [
        "Only 0 cases can be sampled; 5 are wanted.",
        *NO_CASE.values(),
    ]
    release = filled("wanderer-2", rubric=rubric, without=["rush", "kids"])
    bring(release, row("late", "family", automated_summary={"status": "WARN"}))
    assert refusal_of(release, 2).sentences == [
        "The rubric asks for at least 5 cases, so 2 are too few.",
        f"{TEXT_OF['kids']}: 1 case has its tags, but it cannot be sampled. "
        "1 more case fits if warnings are accepted.",
        NO_CASE["rush"],
    ]


def test_two_kinds_that_share_their_only_case_are_named_with_it(rubric: Rubric) -> None:
    both = (*FILLING["feast"], *FILLING["thrift"])
    release = filled(rubric=rubric, without=["feast", "thrift"], more={"c06": both})
    refused = refusal_of(release)
    assert refused.sentences == [
        f"{TEXT_OF['feast']} and {TEXT_OF['thrift']} share their only case c06."
    ]
    assert refused.missing[0].cases == ("c06",)


@pytest.mark.parametrize(
    ("available", "size", "is_refused"), [(3, 5, True), (4, 4, False), (5, 5, False), (0, 5, True)]
)
def test_a_waived_number_of_cases_is_drawn_only_as_far_as_the_start_takes_it(
    available: int, size: int, is_refused: bool
) -> None:
    """The waiver covers the four of its day; the pool may have become smaller since."""
    rule = Rule([], {}, 5, {"cases": Waiver(rule="cases", covers={"cases": 4})})
    found, problems = sample_workflow.check_size(rule, None, available)
    assert (found, bool(problems)) == (size, is_refused)
    assert is_refused == (available < rule.least)


def test_three_kinds_that_share_two_cases_are_named_with_them(rubric: Rubric) -> None:
    tags = ["low-budget", "family", "mobility-limited"]
    release = filled(
        rubric=rubric, without=["thrift", "kids", "ramp"], more={"one": tags, "two": tags}
    )
    names = f"{TEXT_OF['thrift']}, {TEXT_OF['kids']} and {TEXT_OF['ramp']}"
    assert refusal_of(release).sentences == [f"{names}: 3 kinds share only 2 cases, one, two."]


def test_three_kinds_that_share_one_case_are_all_named(rubric: Rubric) -> None:
    tags = ["low-budget", "family", "mobility-limited"]
    release = filled(rubric=rubric, without=["thrift", "kids", "ramp"], more={"one": tags})
    said = str(refusal_of(release))
    for key in ("thrift", "kids", "ramp"):
        assert TEXT_OF[key] in said
    assert "one" in said
    assert TEXT_OF["rush"] not in said


def test_a_case_that_fits_two_kinds_starves_none(rubric: Rubric) -> None:
    both = (*FILLING["feast"], *FILLING["thrift"])
    for name, left in (("wanderer-1", "feast"), ("wanderer-2", "thrift")):
        other = "thrift" if left == "feast" else "feast"
        release = filled(name, rubric=rubric, without=[other], more={"c06": both})
        draw(release)
        assert dict(rows_of(release)) | {"c06": KIND_OF[other], left: KIND_OF[left]} == dict(
            rows_of(release)
        )


def test_a_waived_kind_is_not_filled_and_the_others_are(rubric: Rubric) -> None:
    release = filled(rubric=rubric, without=["rush"])
    waive(release, f"kind:{KIND_OF['rush']}")
    done = draw(release)
    assert done.waived == [KIND_OF["rush"]]
    assert [key for key, _tags in done.kinds] == [
        KIND_OF[key] for key in ("feast", "thrift", "kids", "ramp")
    ]
    own = rows_of(release)
    assert own[:4] == [(key, KIND_OF[key]) for key in ("feast", "thrift", "kids", "ramp")]
    assert [kind for _key, kind in own[4:]] == [""]
    assert events(release)[-1].data["waived"] == [KIND_OF["rush"]]
    assert sampled(release) == sorted(key for key, _kind in own)


def test_a_kind_that_holds_again_is_asked_for_again(rubric: Rubric) -> None:
    release = filled(rubric=rubric, without=["rush"])
    rule = f"kind:{KIND_OF['rush']}"
    waive(release, rule)
    draw(release)
    releases_waivers.take_back(release=release, rule=rule, reason=REASON, user=None, now=NOW)
    assert refusal_of(release).sentences == [NO_CASE["rush"]]


def test_a_kind_waived_though_it_could_be_filled_is_a_draw_of_its_own(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    draw(release)
    waive(release, f"kind:{KIND_OF['feast']}")
    second = draw(release)
    assert (second.number, second.changes) == (2, {})
    assert KIND_OF["feast"] not in dict(rows_of(release)).values()


# --- The rule, restated ---------------------------------------------------------------------------


def rank(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()


def by_the_rule(pool: dict[str, set[str]], release: Release) -> list[tuple[str, str]]:
    """The whole order as design.md says it, by trying every way."""
    rubric = release.rubric
    kinds = {one.key: set(one.required_tags) for one in rubric.document.sampling.kinds}
    shared = sorted(pool, key=lambda key: rank(rubric.digest, key))
    own = sorted(pool, key=lambda key: rank(rubric.digest, key, release.name))
    ways = [
        way
        for way in permutations(shared, len(kinds))
        if all(pool[key] >= tags for key, tags in zip(way, kinds.values(), strict=True))
    ]
    # Kinds in order each take the best: the first way in the order of the ranks.
    best = min(ways, key=lambda way: [shared.index(key) for key in way])
    found = list(zip(best, kinds, strict=True))
    while len(found) < len(pool):
        taken = {key for key, _kind in found}
        turn = shared if (len(found) - len(kinds)) % 2 == 0 else own
        left = [key for key in turn if key not in taken]
        counts = {kind: sum(taker == kind for _key, taker in found) for kind in kinds}
        choices = [
            (key, kind)
            for kind in sorted(kinds, key=lambda kind: counts[kind])
            for key in left
            if pool[key] >= kinds[kind]
        ]
        found.append(choices[0] if choices else (left[0], ""))
    return found


def test_the_order_is_what_the_rule_says_for_the_whole_pool(rubric: Rubric) -> None:
    small = rubric_that_says(
        "Evaluate at least 3 cases", "Families `family`", "Ramps `ramp`", "Both `family` `ramp`"
    )
    release = make_release(rubric=small)
    chance = random.Random(11)
    own_tags = {
        f"trip {number} 云": set(chance.sample(["family", "ramp", "quiet"], chance.randint(0, 2)))
        for number in range(11)
    } | {"both": {"family", "ramp"}}
    bring(release, *(row(key, *tags) for key, tags in own_tags.items()))
    done = draw(release, 7)
    expected = by_the_rule(own_tags, release)
    assert [(one.case_key, one.kind) for one in done.order] == expected
    assert rows_of(release) == expected[:7]


# --- What is kept ---------------------------------------------------------------------------------


def test_a_draw_keeps_all_that_it_takes_to_repeat_it(rubric: Rubric, ada: User) -> None:
    release = filled(rubric=rubric)
    bring(release, row("late", "family", automated_summary={"status": "WARN"}))
    done = draw(release, 6, user=ada)
    done.refresh_from_db()
    assert (done.number, done.size, done.pool_size, done.by) == (1, 6, 8, "ada")
    assert (done.drawn_at, done.rubric_digest) == (LATER, rubric.digest)
    assert (done.waived, done.changes) == ([], {})
    assert done.kinds == [[KIND_OF[key], sorted(tags)] for key, tags in FILLING.items()]
    assert done.fitting == dict.fromkeys(KIND_OF.values(), 1)
    assert sorted(done.order.keys) == sorted((*FILLING, *SPARE))
    digests = dict(release.cases.values_list("case_key", "digest"))
    assert [digests[key] for key in done.order.keys] == done.order.digests
    own_tags = {one.case_key: set(one.tags) for one in done.order}
    assert all(own_tags[key] >= set(tags) for key, tags in FILLING.items())


def test_anybody_can_compute_the_digest_of_the_pool(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    bring(release, row("云-1", "Family_Trip"))
    done = draw(release)
    cases = release.cases.prefetch_related("tags")
    record = sorted([one.case_key, one.digest, one.standing_tags] for one in cases)
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    assert "family-trip" in text
    assert done.pool_digest == hashlib.sha256(text.encode()).hexdigest()


def test_the_cases_of_the_sample_say_where_they_come_from(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    done = draw(release, 7)
    rows = SampledCase.objects.of(release).in_order()
    assert [one.place for one in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert [(one.case.case_key, one.kind) for one in rows] == [
        (one.case_key, one.kind) for one in done.order.first(7)
    ]
    for one in rows:
        assert (one.origin, one.reason, one.added_at) == ("drawn", "", LATER)
        assert (one.withdrawn_at, one.cause, one.withdrawal_reason) == (None, "", "")


def test_a_draw_is_one_event_with_all_that_it_is_known_by(rubric: Rubric, ada: User) -> None:
    release = filled(rubric=rubric)
    before = len(events(release))
    done = draw(release, 6, user=ada)
    *earlier, event = events(release)
    assert len(earlier) == before
    assert (event.kind, event.by, event.at, event.number) == (
        "sample-drawn",
        "ada",
        LATER,
        done.event,
    )
    assert event.data == {
        "draw": 1,
        "size": 6,
        "pool": done.pool_digest,
        "pool_size": 8,
        "sample": [list(one) for one in rows_of(release)],
        "waived": [],
        "accept": ["pass"],
        "acts_by_hand_dropped": 0,
    }


def test_every_case_has_an_answer_to_why_not(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    bring(
        release,
        row("late", automated_summary={"status": "WARN"}),
        row("bare", plan=None),
        row("out"),
    )
    exclude(release, "out")
    draw(release)
    said = {case.case_key: explain_place(case).sentence for case in release.cases.all()}
    assert said["kids"] == f"In the sample, drawn for “{TEXT_OF['kids']}”."
    assert said["spare-1"] == "Not in the sample: the draw took the first 5 in its order."
    assert said["out"] == f"out is excluded: {REASON}"
    assert "it passed with a warning" in said["late"]
    assert "no plan" in said["bare"]


def test_a_case_that_came_after_the_draw_is_not_said_to_have_been_in_it(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    bring(release, row("newcomer"))
    newcomer = explain_place(release.cases.get(case_key="newcomer"))
    spare = explain_place(release.cases.get(case_key="spare-1"))
    assert newcomer.sentence != spare.sentence


# --- Again ----------------------------------------------------------------------------------------


def test_drawing_again_with_nothing_changed_is_no_new_draw(rubric: Rubric, ada: User) -> None:
    release = filled(rubric=rubric)
    first = draw(release, 6)
    with nothing_written():
        assert draw(release, 6, user=ada) == first


def test_the_default_after_a_larger_sample_is_a_new_draw_with_fewer(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    draw(release, 7)
    large = rows_of(release)
    second = draw(release)
    assert (second.number, second.size, second.changes) == (2, 5, {})
    assert rows_of(release) == large[:5]


@pytest.mark.parametrize("how", ["add", "remove", "swap"])
def test_drawing_after_a_change_by_hand_is_a_new_draw_that_sets_it_back(
    rubric: Rubric, how: str
) -> None:
    release = filled(rubric=rubric)
    first = draw(release)
    as_drawn = rows_of(release)
    options: dict[str, Any] = {"release": release, "reason": REASON, "user": None, "now": NOW}
    if how == "add":
        amendments.add(case_key="spare-1", **options)
    elif how == "remove":
        amendments.remove(case_key="kids", **options)
    else:
        amendments.swap(out="kids", into="spare-1", **options)
    assert rows_of(release) != as_drawn
    second = draw(release)
    assert (second.number, second.changes) == (2, {})
    assert second.pool_digest == first.pool_digest
    assert rows_of(release) == as_drawn
    assert set(release.sample.values_list("origin", "reason")) == {("drawn", "")}
    assert release.draws.count() == 2


def test_a_case_added_by_hand_as_the_draw_would_have_it_is_drawn_again_as_drawn(
    rubric: Rubric,
) -> None:
    release = drawn(rubric=rubric)
    options: dict[str, Any] = {"release": release, "reason": REASON, "user": None, "now": NOW}
    amendments.remove(case_key="kids", **options)
    amendments.add(case_key="kids", **options)
    assert draw(release).number == 2
    assert release.sample.get(case__case_key="kids").origin == "drawn"


def test_a_draw_says_what_changed_in_the_pool_since_the_one_before(
    rubric: Rubric, ada: User
) -> None:
    release = drawn(rubric=rubric)
    bring(release, row("newcomer"), row("spare-2", plan={"title": "Another title"}))
    exclude(release, "spare-1")
    tags_workflow.give(
        release=release,
        codes=codes(release, "spare-3"),
        tag="quiet",
        reason=REASON,
        user=ada,
        now=NOW,
    )
    second = draw(release)
    second.refresh_from_db()
    assert second.changes == {
        "new": {"count": 1, "cases": ["newcomer"]},
        "gone": {"count": 1, "cases": ["spare-1"]},
        "content": {"count": 1, "cases": ["spare-2"]},
        "tags": {"count": 1, "cases": ["spare-3"]},
    }


def test_another_rubric_is_another_draw(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    text = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8").replace("Eval", "Another")
    other = rubrics_workflow.publish(text=text, user=None, now=NOW).version
    releases_workflow.change(release=release, rubric=other, user=None, now=NOW)
    second = draw(release)
    assert (second.number, second.rubric_digest) == (2, other.digest)
    assert draw(release) == second


@pytest.mark.parametrize("until", ["reviewing", "closed"])
def test_only_a_draft_is_drawn(rubric: Rubric, until: str) -> None:
    release = started(rubric=rubric)
    if until == "closed":
        releases_lifecycle.abandon(release=release, reason=REASON, user=None, now=NOW)
    with nothing_written(), pytest.raises(WrongStatus):
        draw(release)


# --- The same everywhere --------------------------------------------------------------------------


def rows_to_draw_from() -> list[dict[str, Any]]:
    chance = random.Random(5)
    tags = [tag for own in FILLING.values() for tag in own]
    return [row(f"trip-{n}", *chance.sample(tags, 3)) for n in range(40)]


def test_the_sample_is_the_same_in_any_import_order_and_after_importing_again(
    rubric: Rubric,
) -> None:
    rows = rows_to_draw_from()
    release = make_release(rubric=rubric)
    bring(release, *rows)
    first = draw(release, 9)
    expected = rows_of(release)
    for number in (1, 2, 3):
        imports.undo_import(release=release, number=number, user=None, now=NOW)
        assert rows_of(release) == []
        random.Random(number).shuffle(rows)
        bring(release, *rows)
        again = draw(release, 9)
        assert rows_of(release) == expected
        assert (again.pool_digest, again.order) == (first.pool_digest, first.order)
        assert again.changes == {}
    assert release.draws.count() == 4


def test_the_sample_is_the_same_whether_cases_come_in_one_import_or_in_many(
    rubric: Rubric,
) -> None:
    rows = rows_to_draw_from()
    release = make_release(rubric=rubric)
    for own in reversed(rows):
        bring(release, own)
    draw(release, 9)
    expected = rows_of(release)
    other = make_release("wanderer-2", rubric=rubric)
    bring(other, *rows)
    shared = draw(other, 9)
    # By another name only the extras of the release's own rank differ.
    assert rows_of(other)[:6] == expected[:6]
    assert shared.pool_digest == draw(release, 9).pool_digest


POOL = st.lists(
    st.tuples(
        st.text(
            st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=4
        ),
        st.frozensets(st.sampled_from(["family", "ramp", "quiet"])),
    ),
    min_size=2,
    max_size=5,
    unique_by=lambda one: one[0],
)


@pytest.mark.soak
@pytest.mark.django_db
@settings(
    max_examples=soak.size(short=3, long=1_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(pool=POOL)
def test_a_larger_sample_begins_with_the_smaller_and_ineligible_cases_change_nothing(
    rubric: Rubric, pool: list[tuple[str, frozenset[str]]]
) -> None:
    with transaction.atomic():
        small = rubric_that_says("Evaluate at least 2 cases", "Families `family`", "Ramps `ramp`")
        release = make_release("wanderer-7", rubric=small)
        # With these two there is always a way.
        bring(
            release,
            row("the family", "family"),
            row("the ramp", "ramp"),
            *(row(key, *tags) for key, tags in pool),
        )
        whole = draw(release, len(pool) + 2)
        order = rows_of(release)
        for size in range(2, len(pool) + 2):
            draw(release, size)
            assert rows_of(release) == order[:size]
        last = draw(release)
        tags = ["family", "ramp"]
        bring(
            release,
            row("ineligible: warned", *tags, automated_summary={"status": "WARN"}),
            row("ineligible: bare", *tags, plan=None),
        )
        assert draw(release) == last
        bring(release, row("ineligible: excluded", *tags))
        exclude(release, "ineligible: excluded")
        assert draw(release) == last
        # That the pool was looked at again is an event, once.
        with nothing_written():
            assert draw(release) == last
        assert rows_of(release) == order[:2]
        assert last.order == whole.order
        ledger.verify(release)
        transaction.set_rollback(True)


def test_an_import_undone_and_repeated_takes_no_case_out_of_the_sample(rubric: Rubric) -> None:
    """Otherwise a case that somebody dislikes leaves the sample without a word."""
    release = filled(rubric=rubric, without=SPARE)
    extra = row("disliked")
    bring(release, extra)
    draw(release, 6)
    assert "disliked" in sampled(release)
    imports.undo_import(release=release, number=2, user=None, now=NOW)
    bring(release, extra)
    try:
        releases_lifecycle.start(release=release, user=None, now=NOW)
    except Refused:
        return
    assert "disliked" in sampled(release)


# --- The commands ---------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def command_refused(*arguments: str) -> list[str]:
    """The lines that it says; nothing may be written."""
    with nothing_written(), pytest.raises(CommandError) as refused:
        run(*arguments)
    assert refused.value.returncode == 1
    return str(refused.value).splitlines()


def test_the_command_prints_kind_case_and_reason_for_each(rubric: Rubric, ada: User) -> None:
    release = filled(rubric=rubric)
    said = run("draw_sample", "wanderer-1", "--size", "6", "--by", "ada").splitlines()
    assert said[0] == "Draw 1 of wanderer-1: 6 of 8 cases."
    cells = [line.split("\t") for line in said[1:]]
    assert [(key, kind) for kind, key, _reason in cells[:5]] == rows_of(release)[:5]
    assert cells[5][:2] == ["-", rows_of(release)[5][0]]
    for (_kind, _key, reason), text in zip(cells, TEXT_OF.values(), strict=False):
        assert text in reason
    assert cells[5][2] == "No kind had a case left; best of the rest by the shared rank."
    assert (Draw.objects.get().by, events(release)[-1].by) == ("ada", "ada")


def test_the_json_of_the_command_is_what_the_contract_says(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    said = json.loads(run("draw_sample", "wanderer-1", "--size", "7", "--json"))
    done = Draw.objects.get()
    assert list(said) == ["release", "size", "pool_digest", "sample"]
    assert (said["release"], said["size"]) == ("wanderer-1", 7)
    assert said["pool_digest"] == done.pool_digest
    assert [list(one) for one in said["sample"]] == [["case_key", "kind", "origin", "reason"]] * 7
    assert [(one["case_key"], one["kind"]) for one in said["sample"]] == rows_of(release)
    assert {one["origin"] for one in said["sample"]} == {"drawn"}
    assert all(one["reason"] for one in said["sample"])
    assert json.loads(run("draw_sample", "wanderer-1", "--size", "7", "--json")) == said


def test_without_a_size_the_command_draws_what_the_rubric_asks_for(rubric: Rubric) -> None:
    filled(rubric=rubric)
    said = json.loads(run("draw_sample", "wanderer-1", "--json"))
    assert (said["size"], len(said["sample"])) == (5, 5)


def test_the_command_names_every_kind_that_cannot_be_filled(rubric: Rubric) -> None:
    filled(rubric=rubric, without=["kids", "rush"])
    for options in ([], ["--json"]):
        assert command_refused("draw_sample", "wanderer-1", *options) == [
            NO_CASE["kids"],
            NO_CASE["rush"],
        ]


def test_the_command_refuses_what_it_does_not_know(rubric: Rubric) -> None:
    filled(rubric=rubric)
    assert command_refused("draw_sample", "wanderer-9") == [
        "There is no release called wanderer-9."
    ]
    assert command_refused("draw_sample", "wanderer-1", "--by", "nobody") == [
        "No active person is called nobody."
    ]
    assert command_refused("draw_sample", "wanderer-1", "--size", "4") == [
        "The rubric asks for at least 5 cases, so 4 are too few."
    ]
    assert command_refused("verify_sample", "wanderer-9") == [
        "There is no release called wanderer-9."
    ]


def test_a_sample_that_is_as_drawn_verifies(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    assert command_refused("verify_sample", "wanderer-1") == ["wanderer-1: nothing is drawn yet."]
    draw(release, 6)
    assert run("verify_sample", "wanderer-1") == (
        "wanderer-1: 1 draws, each as the rule gives it.\n"
    )
    exclude(release, "spare-1")
    waive(release, f"kind:{KIND_OF['rush']}")
    draw(release, 6)
    assert "2 draws" in run("verify_sample", "wanderer-1")


def test_a_sample_that_was_changed_in_the_open_verifies(rubric: Rubric) -> None:
    release = drawn(rubric=rubric, size=6)
    options: dict[str, Any] = {"release": release, "reason": REASON, "user": None, "now": NOW}
    left = [key for key in SPARE if key not in sampled(release)]
    amendments.swap(out="kids", into=left[0], **options)
    amendments.add(case_key="kids", **options)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    amendments.withdraw(case_key="rush", cause="broken", **options)
    assert "1 draws" in run("verify_sample", "wanderer-1")


def repacked(**columns: Any) -> Callable[[Release], None]:
    """The stored order, with these columns changed."""

    def tamper(release: Release) -> None:
        order = Draw.objects.get().order
        changed = {name: change(getattr(order, name)) for name, change in columns.items()}
        record = msgspec.msgpack.encode(msgspec.structs.replace(order, **changed))
        Draw.objects.update(record=record)

    return tamper


def first_two_swapped(values: Sequence[Any]) -> list[Any]:
    one, other, *rest = values
    return [other, one, *rest]


def last_two_swapped(values: Sequence[Any]) -> list[Any]:
    *rest, one, other = values
    return [*rest, other, one]


def another_case_in_place_of_the_first(release: Release) -> None:
    not_drawn = release.cases.exclude(case_key__in=sampled(release)).first()
    assert not_drawn is not None
    release.sample.filter(place=1).update(case=not_drawn)


def hand_called_drawn(release: Release) -> None:
    left = next(key for key in SPARE if key not in sampled(release))
    amendments.add(release=release, case_key=left, reason=REASON, user=None, now=NOW)
    release.sample.filter(origin="hand").update(origin="drawn", reason="")


TAMPERINGS: dict[str, Callable[[Release], object]] = {
    "the order of the kinds": repacked(keys=first_two_swapped, digests=first_two_swapped),
    "the order of the rest": repacked(keys=last_two_swapped, digests=last_two_swapped),
    "a key": repacked(keys=lambda keys: ["forged", *keys[1:]]),
    "a digest": repacked(digests=lambda digests: ["0" * 64, *digests[1:]]),
    "who took a case": repacked(taken_by=first_two_swapped),
    "tags": repacked(tag_sets=lambda sets: [[*sets[0], "more"], *sets[1:]]),
    "the digest of the pool": lambda _release: Draw.objects.update(pool_digest="0" * 64),
    "the digest of the rubric": lambda _release: Draw.objects.update(rubric_digest="0" * 64),
    "the kinds": lambda _release: Draw.objects.update(kinds=[]),
    "a smaller size": lambda _release: Draw.objects.update(size=5),
    "a larger size": lambda _release: Draw.objects.update(size=7),
    "another case in the sample": another_case_in_place_of_the_first,
    "a case by hand called drawn": hand_called_drawn,
    "another place": lambda release: release.sample.filter(place=1).update(place=2),
    "another kind": lambda release: release.sample.filter(place=1).update(kind=KIND_OF["rush"]),
    "a case gone": lambda release: release.sample.filter(place=6).delete(),
    "the number of cases in the pool": lambda _release: Draw.objects.update(pool_size=4),
    "how many cases fit": lambda _release: Draw.objects.update(fitting={}),
    "what changed": lambda _release: Draw.objects.update(changes={"new": {"count": 1}}),
    "who drew": lambda _release: Draw.objects.update(by="ada"),
    "when it was drawn": lambda _release: Draw.objects.update(drawn_at=LONG_AGO),
    "when a case came in": lambda release: release.sample.filter(place=1).update(added_at=LONG_AGO),
}


def not_found(release: Release, tamperings: dict[str, Callable[[Release], object]]) -> list[str]:
    """Those that the command does not see. Each is made on the sample as it was."""
    missed = []
    with without_triggers():
        for what, tamper in tamperings.items():
            with transaction.atomic():
                tamper(release)
                try:
                    run("verify_sample", release.name)
                except CommandError as refused:
                    said = str(refused)
                else:
                    said = ""
                if not said.startswith(release.name):
                    missed.append(what)
                transaction.set_rollback(True)
    return missed


def test_a_tampered_sample_does_not_verify(rubric: Rubric) -> None:
    assert not_found(drawn(rubric=rubric, size=6), TAMPERINGS) == []


DAMAGES: dict[str, Callable[[Release], object]] = {
    "nothing": lambda _release: Draw.objects.update(record=b""),
    "no record": lambda _release: Draw.objects.update(record=b"not a record"),
    "a kind that is none": repacked(taken_by=lambda taken: [99, *taken[1:]]),
    "tags that are none": repacked(tags=lambda tags: [99, *tags[1:]]),
    "a column too short": repacked(digests=lambda digests: digests[1:]),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_record_that_cannot_be_read_is_said_in_words(rubric: Rubric, what: str) -> None:
    assert not_found(drawn(rubric=rubric, size=6), {what: DAMAGES[what]}) == []


def test_the_draw_that_was_tampered_with_is_named(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    draw(release, 6)
    with without_triggers():
        Draw.objects.filter(number=1).update(pool_digest="0" * 64)
    assert command_refused("verify_sample", "wanderer-1") == [
        "wanderer-1, draw 1: “digest of the pool” does not match its pool.",
        "wanderer-1, draw 1: does not match the ledger.",
    ]


def test_a_case_that_was_changed_after_the_start_is_named(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    kids = release.cases.filter(case_key="kids")
    said = []
    with without_triggers():
        for tamper in (
            lambda: kids.update(digest="0" * 64),
            lambda: kids.get().tags.all().delete(),
        ):
            with transaction.atomic():
                tamper()
                said += command_refused("verify_sample", "wanderer-1")
                transaction.set_rollback(True)
    assert said == [
        "wanderer-1: kids: its content differs from the pool.",
        "wanderer-1: kids: its tags differ from the pool.",
    ]


def test_each_release_has_its_own_draws(rubric: Rubric) -> None:
    one, other = drawn("wanderer-1", rubric=rubric), drawn("wanderer-2", rubric=rubric)
    assert (Draw.objects.of(one).get().number, Draw.objects.of(other).get().number) == (1, 1)
    with without_triggers():
        Draw.objects.of(one).update(pool_digest="0" * 64)
    command_refused("verify_sample", "wanderer-1")
    assert "1 draws" in run("verify_sample", "wanderer-2")
    assert current(other).draws.count() == 1


def test_rows_that_make_their_own_case_are_drawn_like_any_other(rubric: Rubric) -> None:
    """Who made a case matters to who reads it, not to the draw."""
    release = filled(rubric=rubric, without=["kids"])
    import_lines(release, lines(make_case("kids", tags=["family"], produced_by=["ada", "rita"])))
    draw(release)
    assert ("kids", KIND_OF["kids"]) in rows_of(release)
