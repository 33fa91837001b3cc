"""The sample changed by hand, in the open: each act with a reason and one event."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import ledger
from cases.models import Exclusion, Release, Rubric
from cases.rubrics import workflow as rubrics_workflow
from cases.tags import workflow as tags_workflow
from cases.tags.workflow import DraftOnly
from evalsite.permissions import Role
from reviews.desk import workflow as desk_workflow
from reviews.errors import NeedsReason, NoSuchCase, Refused, WrongStatus
from reviews.models import Review, SampledCase
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.releases.lifecycle import CannotClose, CannotStart
from reviews.sample import amendments
from reviews.sample.amendments import AlreadySampled, HasReviews, NotEligible
from reviews.sample.reasons import explain_place
from tests.bed import soak
from tests.bed.cases import NOW, make_release
from tests.bed.reviewed import (
    FILLING,
    KIND_OF,
    SPARE,
    TEXT_OF,
    assign,
    bring,
    by_first_rules,
    current,
    draw,
    drawn,
    everything,
    filled,
    judgement,
    review,
    row,
    sampled,
    started,
    submit,
)
from tests.people import AsUser, also

LATER = NOW + timedelta(hours=1)
REASON = "The plan belongs to another request."
EXCLUDE = "/releases/wanderer-1/cases/exclude/"

Act = Callable[..., Any]


def add(release: Release, key: str = "spare-1", reason: str = REASON) -> SampledCase:
    return amendments.add(release=release, case_key=key, reason=reason, user=None, now=LATER)


def remove(release: Release, key: str = "kids", reason: str = REASON) -> None:
    amendments.remove(release=release, case_key=key, reason=reason, user=None, now=LATER)


def swap(
    release: Release, out: str = "kids", into: str = "spare-1", reason: str = REASON
) -> SampledCase:
    return amendments.swap(release=release, out=out, into=into, reason=reason, user=None, now=LATER)


def withdraw(
    release: Release, key: str = "kids", reason: str = REASON, cause: str = "broken"
) -> str | None:
    return amendments.withdraw(
        release=release, case_key=key, cause=cause, reason=reason, user=None, now=LATER
    )


def exclude(release: Release, *keys: str) -> int:
    return tags_workflow.exclude(
        release=release, codes=codes(release, *keys), reason=REASON, user=None, now=LATER
    )


def let_in(release: Release, *keys: str) -> int:
    return tags_workflow.let_in(
        release=release, codes=codes(release, *keys), reason=REASON, user=None, now=LATER
    )


def codes(release: Release, *keys: str) -> list[str]:
    return [release.cases.get(case_key=key).code for key in keys]


@contextmanager
def nothing_written() -> Iterator[None]:
    before = everything()
    yield
    assert everything() == before


@contextmanager
def one_event(release: Release, kind: str, **data: Any) -> Iterator[None]:
    """Exactly one, with this said, and the ledger verifies."""
    before = release.events.count()
    yield
    assert ledger.verify(release) == before + 1
    event = release.events.get(number=before + 1)
    assert (event.kind, event.at, event.by) == (kind, LATER, "")
    assert event.data == data


def kinds(release: Release) -> dict[str, str]:
    """Case -> kind in the standing sample."""
    return dict(release.sample.standing().values_list("case__case_key", "kind"))


def closed(rubric: Rubric) -> Release:
    release = started(rubric=rubric)
    releases_lifecycle.abandon(release=release, reason=REASON, user=None, now=NOW)
    return current(release)


def small_release(
    needs: dict[str, tuple[str, ...]], own_tags: dict[str, tuple[str, ...]], least: int = 2
) -> Release:
    """By a rubric of its own: kind -> tags."""
    text = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8")
    text = text[: text.index("- Evaluate at least 5")] + f"- Evaluate at least {least} cases:\n"
    for number, (name, tags) in enumerate(needs.items(), 1):
        text += f"  {number}. {name} {' '.join(f'`{tag}`' for tag in tags)}\n"
    rubric = rubrics_workflow.publish(text=text, language="en", user=None, now=NOW).version
    release = make_release(rubric=rubric)
    bring(release, *(row(key, *tags) for key, tags in own_tags.items()))
    return release


# --- When -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("act", [add, remove, swap])
def test_before_the_start_cases_are_added_removed_and_swapped(rubric: Rubric, act: Act) -> None:
    release = drawn(rubric=rubric)
    act(release)
    assert sampled(release) != sorted(FILLING)


def test_before_the_start_nothing_is_withdrawn(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    with nothing_written(), pytest.raises(WrongStatus, match="still a draft"):
        withdraw(release)


@pytest.mark.parametrize("act", [add, swap, withdraw])
def test_after_the_start_cases_are_added_swapped_and_withdrawn(rubric: Rubric, act: Act) -> None:
    release = by_first_rules(started(rubric=rubric))
    act(release)
    assert sampled(release) != sorted(FILLING)


def test_after_the_start_nothing_is_removed(rubric: Rubric) -> None:
    release = started(rubric=rubric)
    with nothing_written(), pytest.raises(WrongStatus, match="no longer a draft"):
        remove(release)


def test_after_the_close_the_sample_stays(rubric: Rubric) -> None:
    release = closed(rubric)
    acts: list[Act] = [add, remove, swap, withdraw]
    for act in acts:
        with nothing_written(), pytest.raises(WrongStatus):
            act(release)


@pytest.mark.parametrize("until", ["reviewing", "closed"])
def test_after_the_start_nothing_is_excluded_or_let_in(rubric: Rubric, until: str) -> None:
    release = filled(rubric=rubric)
    exclude(release, "spare-2")
    draw(release)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    if until == "closed":
        releases_lifecycle.abandon(release=release, reason=REASON, user=None, now=NOW)
    with nothing_written(), pytest.raises(DraftOnly):
        exclude(release, "spare-1")
    with nothing_written(), pytest.raises(DraftOnly):
        let_in(release, "spare-2")


def test_a_reopened_release_takes_additions_again(rubric: Rubric) -> None:
    release = closed(rubric)
    releases_lifecycle.reopen(release=release, reason=REASON, user=None, now=NOW)
    add(release)
    assert "spare-1" in sampled(release)


# --- Reasons --------------------------------------------------------------------------------------


def before_or_after(act: Act, rubric: Rubric) -> Release:
    return started(rubric=rubric) if act is withdraw else drawn(rubric=rubric)


@pytest.mark.parametrize("act", [add, remove, swap, withdraw])
def test_nothing_is_done_without_a_reason(rubric: Rubric, act: Act) -> None:
    release = before_or_after(act, rubric)
    for reason in ("", " ", " \t\r\n\u3000", "\0", " \0 ", "r" * 501):
        with nothing_written(), pytest.raises(NeedsReason) as refused:
            act(release, reason=reason)
        assert refused.value.code == "reason_required"


@pytest.mark.parametrize("act", [add, remove, swap, withdraw])
def test_a_reason_has_up_to_500_characters_and_is_kept_as_one_line(
    rubric: Rubric, act: Act
) -> None:
    release = before_or_after(act, rubric)
    act(release, reason="  " + "因" * 500 + "\n")
    last = release.events.order_by("number").last()
    assert last is not None
    assert last.data["reason"] == "因" * 500
    ledger.verify(release)


def test_a_reason_loses_what_no_line_can_hold(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    added = add(release, reason=" too\0 \n\t few ")
    added.refresh_from_db()
    assert added.reason == "too few"


@pytest.mark.parametrize("exclusion", ["exclude", "let-in"])
def test_nothing_is_excluded_or_let_in_without_a_reason(
    rubric: Rubric, as_user: AsUser, ada: User, exclusion: str
) -> None:
    release = filled(rubric=rubric)
    exclude(release, "spare-2")
    key = "spare-1" if exclusion == "exclude" else "spare-2"
    fields = {"case": codes(release, key), "exclusion": exclusion}
    client = as_user(ada)
    for reason in ("", "  ", " \u3000", "a\0b", "r" * 501):
        with nothing_written():
            client.post(EXCLUDE, {**fields, "exclusion_reason": reason})
    client.post(EXCLUDE, {**fields, "exclusion_reason": "r" * 500})
    assert Exclusion.objects.filter(case__case_key=key).exists() == (exclusion == "exclude")
    last = release.events.order_by("number").last()
    assert last is not None
    assert last.data == {"reason": "r" * 500, "cases": [key]}
    ledger.verify(release)


# --- Which case -----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_started", [False, True])
def test_only_a_case_that_can_be_sampled_comes_in(rubric: Rubric, is_started: bool) -> None:
    release = filled(rubric=rubric)
    bring(
        release,
        row("warned", automated_summary={"status": "WARN"}),
        row("bare", plan=None),
        row("out"),
    )
    exclude(release, "out")
    filled("wanderer-2", rubric=rubric, more={"theirs": ()})
    draw(release)
    if is_started:
        release = releases_lifecycle.start(release=release, user=None, now=NOW)
        release = by_first_rules(release)
    for key, refusal, words in (
        ("nowhere", NoSuchCase, "wanderer-1 has no case nowhere."),
        ("", NoSuchCase, "has no case"),
        ("theirs", NoSuchCase, "has no case theirs"),
        ("SPARE-1", NoSuchCase, "has no case SPARE-1"),
        ("warned", NotEligible, "passed with a warning, and this release takes only passed"),
        ("bare", NotEligible, "no plan"),
        ("out", NotEligible, f"out is excluded: {REASON}"),
        ("feast", AlreadySampled, "feast is in the sample already."),
    ):
        with nothing_written(), pytest.raises(refusal, match=words):
            add(release, key)
        with nothing_written(), pytest.raises(refusal, match=words):
            swap(release, into=key)


@pytest.mark.parametrize("is_started", [False, True])
def test_a_case_is_not_swapped_for_itself(rubric: Rubric, is_started: bool) -> None:
    """It would be called chosen by hand, and its reviews would stop."""
    release = by_first_rules(started(rubric=rubric)) if is_started else drawn(rubric=rubric)
    with nothing_written(), pytest.raises(AlreadySampled):
        swap(release, out="kids", into="kids")


@pytest.mark.parametrize("act", [remove, swap, withdraw])
def test_only_a_case_of_the_sample_goes_out(rubric: Rubric, act: Act) -> None:
    release = before_or_after(act, rubric)
    for key in ("nowhere", "", "spare-2", "KIDS"):
        with nothing_written(), pytest.raises(NoSuchCase, match="is not in the sample"):
            act(release, key)


def test_a_withdrawn_case_neither_comes_back_nor_goes_out_again(rubric: Rubric) -> None:
    release = by_first_rules(started(rubric=rubric))
    for key, cause in (("kids", "broken"), ("ramp", "wrong-data"), ("rush", "duplicate")):
        withdraw(release, key, cause=cause)
        with nothing_written(), pytest.raises(NotEligible, match="does not come back"):
            add(release, key)
        with nothing_written(), pytest.raises(NotEligible, match="does not come back"):
            swap(release, out="feast", into=key)
        for act in (swap, withdraw):
            with nothing_written(), pytest.raises(NoSuchCase):
                act(release, key)


@pytest.mark.parametrize("cause", ["swapped", "", "dislike"])
def test_a_case_is_withdrawn_as_broken_wrong_or_double_only(rubric: Rubric, cause: str) -> None:
    """Called swapped, a withdrawn case could come back."""
    release = started(rubric=rubric)
    with nothing_written(), pytest.raises(Refused):
        withdraw(release, cause=cause)


@pytest.mark.parametrize("act", [add, remove, swap, withdraw])
def test_space_around_a_key_is_no_part_of_it_and_nul_names_nothing(
    rubric: Rubric, act: Act
) -> None:
    release = before_or_after(act, rubric)
    key = "spare-1" if act is add else "kids"
    with nothing_written(), pytest.raises(NoSuchCase):
        act(release, f"{key}\0")
    act(release, f" {key} ")
    last = release.events.order_by("number").last()
    assert last is not None
    assert key in last.data.values()
    known = release.sample.filter(case__case_key=key, place=None)
    assert not known.exists()
    ledger.verify(release)


@pytest.mark.parametrize("key", ["padded ", " padded"])
def test_a_key_that_has_a_space_at_its_end_is_found(rubric: Rubric, key: str) -> None:
    release = filled(rubric=rubric)
    bring(release, row(key))
    draw(release, size=9)
    assert key in sampled(release)
    remove(release, key)
    assert key not in sampled(release)
    add(release, key)
    assert key in sampled(release)


# --- What an act leaves ---------------------------------------------------------------------------


def test_adding_is_one_event_and_a_case_chosen_by_hand(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    with one_event(release, "case-added", case="spare-1", reason=REASON):
        add(release)
    added = release.sample.get(case__case_key="spare-1")
    assert (added.origin, added.kind, added.reason) == ("hand", "", REASON)
    assert added.added_at == LATER
    last = release.draws.get()
    entry = last.order.find("spare-1")
    assert entry is not None
    assert added.place == entry.place
    assert sampled(release) == sorted((*FILLING, "spare-1"))


def test_a_case_that_came_after_the_draw_has_no_place_in_it(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    bring(release, row("newcomer"))
    assert add(release, "newcomer").place is None


def test_removing_is_one_event_and_nobody_comes_in(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    with one_event(release, "case-removed", case="kids", reason=REASON):
        remove(release)
    assert sampled(release) == sorted(set(FILLING) - {"kids"})
    with pytest.raises(CannotStart) as refused:
        releases_lifecycle.start(release=release, user=None, now=NOW)
    assert refused.value.sentences == [
        f"{TEXT_OF['kids']}: no case in the sample.",
        "The sample has 4 cases; at least 5 are needed.",
    ]


@pytest.mark.parametrize("is_started", [False, True])
def test_swapping_is_one_event(rubric: Rubric, is_started: bool) -> None:
    release = drawn(rubric=rubric, more={"kids-2": ["family"]})
    [inside] = set(sampled(release)) & {"kids", "kids-2"}
    [outside] = {"kids", "kids-2"} - {inside}
    if is_started:
        release = releases_lifecycle.start(release=release, user=None, now=NOW)
        release = by_first_rules(release)
    with one_event(release, "case-swapped", out=inside, reason=REASON, **{"in": outside}):
        swap(release, inside, outside)
    assert kinds(release)[outside] == KIND_OF["kids"]
    assert inside not in kinds(release)
    came = release.sample.get(case__case_key=outside)
    assert (came.origin, came.reason) == ("hand", REASON)
    left = release.sample.filter(case__case_key=inside).first()
    if is_started:
        assert left is not None
        assert (left.cause, left.withdrawal_reason) == ("swapped", REASON)
        assert left.withdrawn_at == LATER
    else:
        assert left is None
        releases_lifecycle.start(release=release, user=None, now=NOW)


def test_withdrawing_is_one_event_that_says_who_came_in(rubric: Rubric) -> None:
    release = started(rubric=rubric, more={"kids-2": ["family"]})
    [inside] = set(sampled(release)) & {"kids", "kids-2"}
    [outside] = {"kids", "kids-2"} - {inside}
    with one_event(
        release,
        "case-withdrawn",
        case=inside,
        cause="wrong-data",
        reason=REASON,
        reviews_stopped=[],
        reviews_not_counted=0,
        **{"in": outside},
    ):
        assert withdraw(release, inside, cause="wrong-data") == outside
    left = release.sample.get(case__case_key=inside)
    assert (left.cause, left.withdrawal_reason) == ("wrong-data", REASON)
    assert (left.withdrawn_at, left.origin) == (LATER, "drawn")
    came = release.sample.get(case__case_key=outside)
    assert (came.origin, came.reason, came.kind) == ("next", "", KIND_OF["kids"])
    entry = release.draws.get().order.find(outside)
    assert entry is not None
    assert came.place == entry.place


def test_excluding_is_one_event_and_twice_is_once(rubric: Rubric) -> None:
    release = filled(rubric=rubric)
    with one_event(release, "cases-excluded", cases=["spare-1", "spare-2"], reason=REASON):
        assert exclude(release, "spare-2", "spare-1") == 2
    with nothing_written():
        assert exclude(release, "spare-1") == 0
        assert let_in(release, "spare-3") == 0
    with one_event(release, "cases-let-in", cases=["spare-1"], reason=REASON):
        assert let_in(release, "spare-1", "spare-3") == 1
    assert Exclusion.objects.get().case.case_key == "spare-2"


def test_codes_of_another_release_and_no_codes_exclude_nothing(rubric: Rubric) -> None:
    release, other = filled(rubric=rubric), filled("wanderer-2", rubric=rubric)
    for named in ([], ["nonsense"], ["\0"], codes(other, "kids")):
        with nothing_written():
            assert not tags_workflow.exclude(
                release=release, codes=named, reason=REASON, user=None, now=NOW
            )


def test_an_excluded_case_of_the_sample_stops_the_start_until_a_new_draw(rubric: Rubric) -> None:
    release = drawn(rubric=rubric, more={"kids-2": ["family"]})
    [inside] = set(sampled(release)) & {"kids", "kids-2"}
    exclude(release, inside)
    with pytest.raises(CannotStart, match=f"gone 1: {inside}"):
        releases_lifecycle.start(release=release, user=None, now=NOW)
    draw(release)
    assert inside not in sampled(release)
    releases_lifecycle.start(release=release, user=None, now=NOW)


def test_excluding_and_letting_in_again_leaves_the_sample_as_it_was(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    exclude(release, "kids")
    let_in(release, "kids")
    releases_lifecycle.start(release=release, user=None, now=NOW)
    assert sampled(release) == sorted(FILLING)


# --- Why not this case ----------------------------------------------------------------------------


@pytest.mark.parametrize("act", [remove, swap])
def test_a_case_taken_out_by_hand_before_the_start_says_so(rubric: Rubric, act: Act) -> None:
    """The draw did take it, so the order of the draw is not the answer."""
    release = drawn(rubric=rubric)
    act(release)
    kids, other = (
        explain_place(release.cases.get(case_key=key)).sentence for key in ("kids", "spare-2")
    )
    assert kids != other


def test_a_case_by_hand_next_or_withdrawn_says_so(rubric: Rubric) -> None:
    release = by_first_rules(started(rubric=rubric))
    add(release)
    came = withdraw(release)
    said = {case.case_key: explain_place(case).sentence for case in release.cases.all()}
    assert said["spare-1"] == f"In the sample, chosen by hand: {REASON}"
    assert said["kids"] == f"Withdrawn (broken): {REASON}"
    assert came is not None
    assert said[came] == "In the sample: it came in as the next in line."


def test_what_would_be_refused_is_not_offered(rubric: Rubric) -> None:
    release = by_first_rules(started(rubric=rubric, size=6))
    withdraw(release, "kids")
    swapped_in = next(key for key in SPARE if key not in release_keys(release))
    swap(release, "ramp", swapped_in)
    for case in release.cases.all():
        offered = explain_place(case).can_be_added
        try:
            with transaction.atomic():
                add(release, case.case_key)
                transaction.set_rollback(True)
        except Refused:
            assert not offered, case.case_key
        else:
            assert offered, case.case_key


def release_keys(release: Release) -> set[str]:
    """Every case that is or was in the sample."""
    return set(release.sample.values_list("case__case_key", flat=True))


# --- Kinds after a change by hand -----------------------------------------------------------------


def test_an_added_case_counts_for_the_kind_that_it_fits_and_that_has_the_fewest(
    rubric: Rubric,
) -> None:
    release = drawn(rubric=rubric)
    bring(release, row("kids-2", "family"), row("kids-3", "family", "tight-schedule"))
    add(release, "kids-2")
    assert kinds(release)["kids-2"] == KIND_OF["kids"]
    add(release, "kids-3")
    assert kinds(release)["kids-3"] == KIND_OF["rush"]
    assert {key: kinds(release)[key] for key in FILLING} == KIND_OF


def test_a_case_that_stays_takes_over_the_kind_of_the_one_removed(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    bring(release, row("both", "family", "tight-schedule"))
    add(release, "both")
    assert kinds(release)["both"] == KIND_OF["kids"]
    remove(release, "rush")
    assert kinds(release) == {
        **{key: KIND_OF[key] for key in FILLING if key != "rush"},
        "both": KIND_OF["rush"],
    }


def test_nobody_else_changes_kind_when_the_one_that_comes_in_fills_the_empty_one(
    rubric: Rubric,
) -> None:
    release = drawn(rubric=rubric)
    bring(release, row("both", "family", "tight-schedule"), row("rush-2", "tight-schedule"))
    add(release, "both")
    before = kinds(release)
    swap(release, "rush", "rush-2")
    assert kinds(release) == {
        **{key: kind for key, kind in before.items() if key != "rush"},
        "rush-2": KIND_OF["rush"],
    }


# --- Who comes in ---------------------------------------------------------------------------------


def in_line(release: Release) -> list[str]:
    """Those who were never in the sample, in the order of the last draw."""
    last = release.draws.order_by("-number")[0]
    return [key for key in last.order.keys if key not in release_keys(release)]


def test_for_a_case_that_no_kind_needs_the_next_comes_in(rubric: Rubric) -> None:
    release = started(rubric=rubric, size=6, more={"kids-2": ["family"], "kids-3": ["family"]})
    extra = release.sample.get(place=6).case.case_key
    expected = in_line(release)[0]
    assert withdraw(release, extra) == expected


def test_for_the_only_case_of_a_kind_the_next_of_that_kind_comes_in(rubric: Rubric) -> None:
    """Others wait before it: in the draw's order the kinds take turns."""
    families = {f"kids-{number}": ("family",) for number in (2, 3, 4)}
    rushes = {f"rush-{number}": ("tight-schedule",) for number in (2, 3)}
    release = started(rubric=rubric, more={**families, **rushes})
    for _ in rushes:
        [standing] = [key for key, kind in kinds(release).items() if kind == KIND_OF["rush"]]
        first = in_line(release)[0]
        expected = next(key for key in in_line(release) if key.startswith("rush"))
        assert first.startswith("kids")
        assert withdraw(release, standing) == expected
        assert kinds(release)[expected] == KIND_OF["rush"]
        assert len(kinds(release)) == 5


@pytest.mark.django_db
def test_who_comes_in_may_free_another_for_the_kind_that_lost_its_case() -> None:
    release = small_release(
        {"Families": ("family",), "Ramps": ("ramp",)},
        {"both": ("family", "ramp"), "kids": ("family",), "ramp": ("ramp",), "plain": ()},
    )
    draw(release)
    if "kids" in sampled(release):
        swap(release, "kids", next(k for k in ("both", "ramp") if k not in sampled(release)))
    assert kinds(release) == {"both": "families", "ramp": "ramps"}
    releases_lifecycle.start(release=release, user=None, now=NOW)
    assert withdraw(release, "ramp") == "kids"
    assert kinds(release) == {"both": "ramps", "kids": "families"}


def test_when_nobody_covers_the_kind_the_next_comes_in_all_the_same(rubric: Rubric) -> None:
    release = started(rubric=rubric)
    expected = in_line(release)[0]
    assert withdraw(release, "rush") == expected
    with pytest.raises(CannotClose) as refused:
        releases_lifecycle.close(release=release, user=None, now=NOW)
    assert refused.value.sentences[0] == f"{TEXT_OF['rush']}: no case in the sample."


def test_when_nobody_is_left_nobody_comes_in(rubric: Rubric) -> None:
    release = started(rubric=rubric, without=SPARE)
    assert withdraw(release, "rush") is None
    assert sampled(release) == sorted(set(FILLING) - {"rush"})
    last = release.events.order_by("number").last()
    assert last is not None
    assert last.data["in"] is None
    with pytest.raises(CannotClose) as refused:
        releases_lifecycle.close(release=release, user=None, now=NOW)
    assert refused.value.sentences[:2] == [
        f"{TEXT_OF['rush']}: no case in the sample.",
        "The sample has 4 cases; at least 5 are needed.",
    ]


def test_a_waived_kind_is_not_looked_after(rubric: Rubric) -> None:
    release = started(rubric=rubric, more={f"rush-{n}": ["tight-schedule"] for n in (2, 3)})
    releases_waivers.waive(
        release=release, rule=f"kind:{KIND_OF['rush']}", reason=REASON, user=None, now=NOW
    )
    [inside] = [key for key in sampled(release) if key.startswith("rush")]
    expected = in_line(release)[0]
    assert withdraw(release, inside) == expected
    # If that one has its tags all the same, it fills it.
    filling = [key for key, kind in kinds(release).items() if kind == KIND_OF["rush"]]
    assert filling == [key for key in [expected] if key.startswith("rush")]


def test_what_fills_a_kind_is_told_whether_it_is_waived_or_not(rubric: Rubric) -> None:
    """The list counts what is stored, the page asks the tags: waiving leaves them agreed."""
    release = started(size=6, rubric=rubric, more={"rush-2": ["tight-schedule"]})
    rule = f"kind:{KIND_OF['rush']}"
    act: dict[str, Any] = {"release": release, "reason": REASON, "user": None, "now": NOW}
    releases_waivers.waive(rule=rule, **act)
    withdraw(release, "rush")
    assert kinds(release)["rush-2"] == KIND_OF["rush"]
    releases_waivers.take_back(rule=rule, **act)
    assert kinds(release)["rush-2"] == KIND_OF["rush"]
    SampledCase.objects.filter(case__case_key="rush-2").update(kind="")  # as it was left before
    for undone in (releases_waivers.waive, releases_waivers.take_back):
        undone(rule=rule, **act)
        assert kinds(release)["rush-2"] == KIND_OF["rush"]


NEEDS = {"Families": ("family",), "Ramps": ("ramp",), "Both": ("family", "ramp")}
TAG_SETS = st.frozensets(st.sampled_from(["family", "ramp"]))


def can_cover(own_tags: list[frozenset[str]]) -> int:
    """How many of the needs can have a case of their own, by trying every way."""
    padded = [*own_tags, *([frozenset[str]()] * len(NEEDS))]
    return max(
        sum(tags >= set(need) for tags, need in zip(way, NEEDS.values(), strict=True))
        for way in set(permutations(padded, len(NEEDS)))
    )


@pytest.mark.soak
@pytest.mark.django_db
@settings(
    max_examples=soak.size(short=3, long=500),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(more=st.lists(TAG_SETS, max_size=6), chance=st.randoms(use_true_random=False))
def test_whoever_is_withdrawn_the_first_that_covers_the_most_comes_in(
    rubric: Rubric, more: list[frozenset[str]], chance: random.Random
) -> None:
    own_tags = {
        "the family": frozenset({"family"}),
        "the ramp": frozenset({"ramp"}),
        "the both": frozenset({"family", "ramp"}),
        **{f"trip-{number}": tags for number, tags in enumerate(more)},
    }
    with transaction.atomic():
        release = small_release(NEEDS, {key: tuple(tags) for key, tags in own_tags.items()}, 3)
        draw(release, size=3 + len(more) // 3)
        releases_lifecycle.start(release=release, user=None, now=NOW)
        for _ in range(4):
            out = chance.choice(sampled(release))
            stay = [own_tags[key] for key in sampled(release) if key != out]
            line = in_line(release)
            covers = [can_cover([*stay, own_tags[key]]) for key in line]
            expected = line[covers.index(max(covers))] if line else None
            assert withdraw(release, out) == expected
            now = kinds(release)
            assert len(set(now.values()) - {""}) == can_cover([own_tags[key] for key in now])
            if not now:
                break
        ledger.verify(release)
        transaction.set_rollback(True)


# --- Reviews of a case that leaves ----------------------------------------------------------------


def statuses(release: Release) -> dict[str, str]:
    return dict(release.reviews.values_list("reviewer__username", "status"))


def test_reviews_of_a_withdrawn_case_end_or_are_kept_and_not_counted(
    rubric: Rubric, rita: User, omar: User, ada: User, mina: User
) -> None:
    release = started(rubric=rubric)
    done = review(release, "kids", rita)
    review(release, "feast", rita)
    assign(release, "feast", omar)
    for user, state in ((omar, "assigned"), (ada, "draft"), (mina, "declined")):
        own = assign(release, "kids", also(user, Role.REVIEWER))
        Review.objects.filter(pk=own.pk).update(
            status=state, draft={"comment": "so far"}, declined_for="language"
        )
    assert Review.objects.counted().count() == 2
    withdraw(release)
    on_kids = Review.objects.filter(case__case_key="kids")
    assert dict(on_kids.values_list("reviewer__username", "status")) == {
        "rita": "submitted",
        "omar": "withdrawn",
        "ada": "withdrawn",
        "mina": "declined",
    }
    assert all(one.draft == {"comment": "so far"} for one in on_kids.exclude(reviewer=rita))
    assert done.scores.count() == 2
    counted = Review.objects.counted()
    assert [one.case.case_key for one in counted] == ["feast"]
    last = release.events.order_by("number").last()
    assert last is not None
    assert last.data["reviews_stopped"] == ["ada", "omar"]
    assert last.data["reviews_not_counted"] == 1
    assert Review.objects.get(case__case_key="feast", reviewer=omar).status == "assigned"


def test_reviews_of_a_withdrawn_case_are_neither_submitted_nor_revised_nor_assigned(
    rubric: Rubric, rita: User, omar: User
) -> None:
    release = started(rubric=rubric)
    done, begun = review(release, "kids", rita), assign(release, "kids", omar)
    withdraw(release)
    for own in (done, begun):
        with nothing_written(), pytest.raises(desk_workflow.NotOpen):
            submit(own, judgement(1), key="too late", reason=REASON)
    with nothing_written(), pytest.raises(NoSuchCase):
        assign(release, "kids", omar)


def test_a_case_with_a_submitted_review_is_not_swapped_out(
    rubric: Rubric, rita: User, omar: User
) -> None:
    release = by_first_rules(started(rubric=rubric))
    review(release, "kids", rita)
    assign(release, "kids", omar)
    with nothing_written(), pytest.raises(HasReviews) as refused:
        swap(release)
    assert refused.value.code == "has_reviews"
    assert "withdraw it" in str(refused.value)
    withdraw(release)
    assert "kids" not in sampled(release)


@pytest.mark.parametrize("state", ["assigned", "draft", "declined", "withdrawn"])
def test_a_case_without_a_submitted_review_is_swapped_out_and_its_reviews_end(
    rubric: Rubric, rita: User, state: str
) -> None:
    release = by_first_rules(started(rubric=rubric))
    assign(release, "kids", rita)
    Review.objects.update(status=state, declined_for="language")
    swap(release)
    expected = "declined" if state == "declined" else "withdrawn"
    assert statuses(release) == {"rita": expected}


def test_a_swapped_out_case_may_return_and_be_assigned_again(rubric: Rubric, rita: User) -> None:
    release = by_first_rules(started(rubric=rubric))
    own = assign(release, "kids", rita)
    swap(release)
    with nothing_written(), pytest.raises(desk_workflow.NotOpen):
        submit(own)
    with one_event(release, "case-added", case="kids", reason=REASON):
        add(release, "kids")
    back = release.sample.get(case__case_key="kids")
    assert (back.origin, back.kind, back.withdrawn_at) == ("hand", KIND_OF["kids"], None)
    assert (back.cause, back.withdrawal_reason) == ("", "")
    assert statuses(release) == {"rita": "withdrawn"}
    assign(release, "kids", rita)
    submit(own)
    assert [one.case.case_key for one in Review.objects.counted()] == ["kids"]


def test_a_case_that_came_back_can_still_be_withdrawn(rubric: Rubric) -> None:
    release = by_first_rules(started(rubric=rubric))
    swap(release)
    swap(release, out="spare-1", into="kids")
    withdraw(release)
    with nothing_written(), pytest.raises(NotEligible):
        add(release, "kids")
    ledger.verify(release)


def test_a_whole_life_by_hand_is_one_event_for_each_act(rubric: Rubric) -> None:
    release = drawn(rubric=rubric)
    before = release.events.count()
    add(release, "spare-1")
    remove(release, "spare-1")
    swap(release, "kids", "spare-2")
    swap(release, "spare-2", "kids")
    exclude(release, "spare-3")
    let_in(release, "spare-3")
    release = by_first_rules(releases_lifecycle.start(release=release, user=None, now=NOW))
    add(release, "spare-1")
    swap(release, "spare-1", "spare-2")
    withdraw(release, "spare-2")
    kinds_of_events = release.events.filter(number__gt=before).order_by("number")
    assert list(kinds_of_events.values_list("kind", flat=True)) == [
        "case-added",
        "case-removed",
        "case-swapped",
        "case-swapped",
        "cases-excluded",
        "cases-let-in",
        "review-started",
        "case-added",
        "case-swapped",
        "case-withdrawn",
    ]
    ledger.verify(release)
    assert current(release).ledger_length == before + 10
