"""Start: refused with all that is missing at once; from then on the release is as it was drawn."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases import imports, ledger
from cases.models import Release
from cases.releases import policy
from cases.releases import workflow as releases_workflow
from cases.releases.forms import ReleaseEditForm
from cases.rubrics import workflow as rubrics_workflow
from cases.tags import workflow as tags_workflow
from cases.tags.workflow import DraftOnly
from reviews.errors import WrongStatus
from reviews.models import Draw
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.sample import amendments
from tests.bed.cases import NOW, content_digest, import_lines, lines, make_release
from tests.bed.reviewed import (
    FILLING,
    KIND_OF,
    SPARE,
    TEXT_OF,
    bring,
    current,
    draw,
    drawn,
    everything,
    filled,
    row,
    started,
)

OTHER_RUBRIC = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8").replace("Eval", "Another")
WHY = "The request says so."


def start(release: Release, user: User | None = None) -> Release:
    return releases_lifecycle.start(release=release, user=user, now=NOW)


def refusal(release: Release) -> releases_lifecycle.CannotStart:
    """What is missing; nothing may be written."""
    before = everything()
    with pytest.raises(releases_lifecycle.CannotStart) as refused:
        start(release)
    assert everything() == before
    assert current(release).is_draft
    return refused.value


def codes(release: Release, *keys: str) -> list[str]:
    return list(release.cases.filter(case_key__in=keys).values_list("code", flat=True))


def exclude(release: Release, *keys: str) -> None:
    tags_workflow.exclude(
        release=release, codes=codes(release, *keys), reason=WHY, user=None, now=NOW
    )


def let_in(release: Release, *keys: str) -> None:
    tags_workflow.let_in(
        release=release, codes=codes(release, *keys), reason=WHY, user=None, now=NOW
    )


def give(release: Release, ada: User, tag: str, *keys: str) -> None:
    tags_workflow.give(
        release=release, codes=codes(release, *keys), tag=tag, reason=WHY, user=ada, now=NOW
    )


def remove(release: Release, case_key: str) -> None:
    amendments.remove(release=release, case_key=case_key, reason=WHY, user=None, now=NOW)


def waive(release: Release, rule: str) -> None:
    releases_waivers.waive(release=release, rule=rule, reason=WHY, user=None, now=NOW)


def other_rubric(release: Release) -> None:
    version = rubrics_workflow.publish(text=OTHER_RUBRIC, user=None, now=NOW).version
    releases_workflow.change(release=release, rubric=version, user=None, now=NOW)


# --- What a start needs ---------------------------------------------------------------------------


def test_a_drawn_release_starts_and_its_event_says_with_what(ada: User) -> None:
    release = drawn()
    last = Draw.objects.get()
    assert start(release, ada).is_reviewing
    release = current(release)
    assert release.is_reviewing
    event = release.events.order_by("number").last()
    assert event is not None
    assert (event.kind, event.by, event.at) == ("review-started", "ada", NOW)
    assert event.data == {
        "draw": 1,
        "pool": last.pool_digest,
        "sample": [[case_key, KIND_OF[case_key]] for case_key in FILLING],
        "rubric": 1,
        "rubric_digest": release.rubric.digest,
        "reviews_per_case": 2,
        "policy": release.policy,
        "looks": [5, 8, 12],
        "available": 8,
    }
    assert ledger.verify(release) == release.ledger_length == event.number


@pytest.mark.django_db
def test_a_release_without_a_draw_does_not_start() -> None:
    refused = refusal(filled())
    assert refused.sentences == ["No sample is drawn yet."]
    assert [one.rule for one in refused.missing] == ["draw"]


@pytest.mark.django_db
def test_a_release_without_a_single_case_does_not_start() -> None:
    assert refusal(make_release()).sentences == ["No sample is drawn yet."]


@pytest.mark.django_db
def test_cases_put_in_by_hand_are_no_draw() -> None:
    release = filled()
    for case_key in FILLING:
        amendments.add(release=release, case_key=case_key, reason=WHY, user=None, now=NOW)
    assert "No sample is drawn yet." in refusal(release).sentences


def pool_changed(what: str) -> str:
    return f"The pool changed since the sample was drawn ({what}). Draw again."


OTHER_TEXT = {"text": "Three days in Yunxi, as late in the evening as can be."}
CHANGES: dict[str, tuple[Callable[[Release], None], str]] = {
    "a new case": (lambda release: bring(release, row("late")), "new 1: late"),
    "an excluded case": (lambda release: exclude(release, "spare-1"), "gone 1: spare-1"),
    "an excluded case of the sample": (lambda release: exclude(release, "kids"), "gone 1: kids"),
    "a case that now fails its checks": (
        lambda release: bring(release, row("spare-2", automated_summary={"status": "FAIL"})),
        "gone 1: spare-2",
    ),
    "another request": (
        lambda release: bring(release, row("spare-3", request=OTHER_TEXT)),
        "other content 1: spare-3",
    ),
    "another plan": (
        lambda release: bring(release, row("kids", "family", plan={"title": "云溪"})),
        "other content 1: kids",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.django_db
def test_a_pool_that_is_not_the_drawn_one_is_told(change: str) -> None:
    release = drawn()
    act, told = CHANGES[change]
    act(release)
    refused = refusal(release)
    assert refused.sentences[0] == pool_changed(told)
    lost = "an excluded case of the sample"
    assert len(refused.sentences) == (4 if change == lost else 1)


@pytest.mark.django_db
def test_a_case_of_the_sample_that_cannot_be_sampled_any_more_holds_the_start_back() -> None:
    """Also where the pool is the drawn one again: it was let in, added by hand, and excluded."""
    release = filled()
    exclude(release, "spare-1")
    draw(release)
    let_in(release, "spare-1")
    amendments.add(release=release, case_key="spare-1", reason="r", user=None, now=NOW)
    exclude(release, "spare-1")
    assert refusal(release).sentences == [
        "Cases of the sample are no longer eligible: spare-1. Draw again or remove them."
    ]


def test_another_tag_is_another_pool(ada: User) -> None:
    release = drawn()
    give(release, ada, "by-night", "spare-1", "rush")
    assert refusal(release).sentences == [pool_changed("other tags 2: rush, spare-1")]


def test_all_that_changed_in_the_pool_is_told_at_once(ada: User) -> None:
    release = drawn()
    bring(release, row("late"), row("later"), row("spare-3", request=OTHER_TEXT))
    exclude(release, "spare-1")
    give(release, ada, "by-night", "rush")
    assert refusal(release).sentences == [
        pool_changed(
            "new 2: late, later; gone 1: spare-1; other content 1: spare-3; other tags 1: rush"
        )
    ]


@pytest.mark.parametrize(("count", "told"), [(20, "x-20). Draw"), (21, "x-20 …). Draw")])
@pytest.mark.django_db
def test_of_many_changed_cases_the_first_are_named(count: int, told: str) -> None:
    release = drawn()
    bring(release, *(row(f"x-{number:02}") for number in range(1, count + 1)))
    [sentence] = refusal(release).sentences
    assert f"new {count}: x-01, x-02" in sentence
    assert told in sentence


@pytest.mark.django_db
def test_a_change_that_was_taken_back_is_none() -> None:
    release = drawn()
    exclude(release, "spare-1")
    let_in(release, "spare-1")
    assert start(release).is_reviewing


@pytest.mark.django_db
def test_a_case_that_cannot_be_sampled_changes_nothing() -> None:
    release = drawn()
    bring(release, row("failed", automated_summary={"status": "FAIL"}), row("bare", plan=None))
    assert start(release).is_reviewing


@pytest.mark.django_db
def test_drawing_again_is_the_remedy() -> None:
    release = drawn()
    bring(release, row("late"))
    draw(release)
    assert start(release).is_reviewing
    assert release.events.get(kind="review-started").data["draw"] == 2


@pytest.mark.django_db
def test_a_sample_of_another_rubric_version_is_none() -> None:
    release = drawn()
    other_rubric(release)
    sentences = ["The sample was drawn with another rubric version. Draw again."]
    assert refusal(release).sentences == sentences
    draw(release)
    assert start(release).is_reviewing


@pytest.mark.parametrize("case_key", FILLING)
@pytest.mark.django_db
def test_each_kind_needs_a_case(case_key: str) -> None:
    release = drawn()
    amendments.swap(release=release, out=case_key, into="spare-1", reason=WHY, user=None, now=NOW)
    refused = refusal(release)
    assert refused.sentences == [f"{TEXT_OF[case_key]}: no case in the sample."]
    assert [one.rule for one in refused.missing] == [f"kind:{KIND_OF[case_key]}"]


@pytest.mark.django_db
def test_a_case_that_fits_two_kinds_fills_one_of_them() -> None:
    release = drawn(size=6, more={"both": ("family", "mobility-limited")})
    remove(release, "kids")
    assert not list(releases_lifecycle.find_missing_for_start(release))
    remove(release, "ramp")
    [kind] = [one.rule for one in refusal(release).missing if one.rule != "cases"]
    assert kind in (f"kind:{KIND_OF['kids']}", f"kind:{KIND_OF['ramp']}")


@pytest.mark.django_db
def test_too_few_cases_are_told() -> None:
    release = filled(without=["kids"])
    waive(release, f"kind:{KIND_OF['kids']}")
    draw(release)
    [extra] = set(release.sample.values_list("case__case_key", flat=True)) - FILLING.keys()
    assert not list(releases_lifecycle.find_missing_for_start(release))
    remove(release, extra)
    refused = refusal(release)
    assert refused.sentences == ["The sample has 4 cases; at least 5 are needed."]
    assert [one.rule for one in refused.missing] == ["cases"]
    waive(release, "cases")
    assert start(release).is_reviewing


@pytest.mark.django_db
def test_a_waiver_of_the_number_of_cases_covers_what_was_missing_then() -> None:
    release = filled(without=["kids", "ramp"])
    for case_key in ("kids", "ramp"):
        waive(release, f"kind:{KIND_OF[case_key]}")
    draw(release)
    extras = sorted(set(release.sample.values_list("case__case_key", flat=True)) - FILLING.keys())
    assert len(extras) == 2
    remove(release, extras[0])
    waive(release, "cases")
    remove(release, extras[1])
    assert refusal(release).sentences == ["The sample has 3 cases; at least 4 are needed."]


@pytest.mark.django_db
def test_a_waived_kind_is_not_needed_until_the_waiver_is_taken_back() -> None:
    release = filled(without=["kids"])
    rule = f"kind:{KIND_OF['kids']}"
    waive(release, rule)
    draw(release)
    assert not list(releases_lifecycle.find_missing_for_start(release))
    releases_waivers.take_back(release=release, rule=rule, reason=WHY, user=None, now=NOW)
    assert refusal(release).sentences == [f"{TEXT_OF['kids']}: no case in the sample."]


@pytest.mark.django_db
def test_everything_that_is_missing_is_told_at_once() -> None:
    release = drawn()
    other_rubric(release)
    bring(release, row("late"))
    remove(release, "kids")
    remove(release, "rush")
    assert refusal(release).sentences == [
        "The sample was drawn with another rubric version. Draw again.",
        pool_changed("new 1: late"),
        f"{TEXT_OF['kids']}: no case in the sample.",
        f"{TEXT_OF['rush']}: no case in the sample.",
        "The sample has 3 cases; at least 5 are needed.",
    ]


@pytest.mark.django_db
def test_a_release_starts_once() -> None:
    release = started()
    before = everything()
    with pytest.raises(WrongStatus, match="no longer a draft"):
        start(release)
    releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)
    with pytest.raises(WrongStatus):
        start(release)
    assert everything() != before  # the digest sees what was written
    assert release.events.filter(kind="review-started").count() == 1


# --- What stays as it is from then on -------------------------------------------------------------


FIELDS = ["product", "rubric", "reviews_per_case", "baseline", "policy"]


def other_value(field: str) -> Any:
    if field == "rubric":
        return rubrics_workflow.publish(text=OTHER_RUBRIC, user=None, now=NOW).version
    if field == "baseline":
        return make_release("wanderer-0")
    return {"product": "stroller", "reviews_per_case": 3, "policy": {"margin": 1.5}}[field]


@pytest.mark.django_db
def test_only_the_due_date_of_a_started_release_changes(ada: User) -> None:
    release, due = started(), date(2026, 12, 1)
    for field in FIELDS:
        value = other_value(field)
        before = everything()
        with pytest.raises(releases_workflow.ReleaseFrozen) as refused:
            releases_workflow.change(release=release, user=ada, now=NOW, **{field: value})
        with pytest.raises(releases_workflow.ReleaseFrozen):
            releases_workflow.change(
                release=release, user=ada, now=NOW, due_date=due, **{field: value}
            )
        assert everything() == before, field
    assert str(refused.value) == (
        "wanderer-1 is no longer a draft, so only its due date can change."
    )
    releases_workflow.change(release=release, due_date=date(2026, 12, 24), user=ada, now=NOW)
    release = current(release)
    assert release.due_date == date(2026, 12, 24)
    event = release.events.order_by("number").last()
    assert event is not None
    assert (event.kind, event.data) == (
        "release-changed",
        {"from": {"due_date": None}, "to": {"due_date": "2026-12-24"}},
    )


@pytest.mark.django_db
def test_saying_a_started_release_over_again_changes_nothing() -> None:
    release = started()
    before = everything()
    same = {field: getattr(release, field) for field in [*FIELDS, "due_date"]}
    releases_workflow.change(release=release, user=None, now=NOW, **same)
    assert everything() == before


@pytest.mark.django_db
def test_nothing_of_a_closed_release_changes() -> None:
    release = started()
    releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)
    values = {field: other_value(field) for field in FIELDS} | {"due_date": date(2026, 12, 1)}
    before = everything()
    for field, value in values.items():
        with pytest.raises(releases_workflow.ReleaseFrozen, match="wanderer-1 is closed"):
            releases_workflow.change(release=release, user=None, now=NOW, **{field: value})
    assert everything() == before


@pytest.mark.django_db
def test_the_same_fields_change_in_a_draft() -> None:
    release = drawn()
    for field in FIELDS[1:]:
        value = other_value(field)
        releases_workflow.change(release=release, user=None, now=NOW, **{field: value})
        assert getattr(current(release), field) == value


@pytest.mark.django_db
def test_cases_of_a_started_release_stay() -> None:
    release = started()
    content, before = content_digest(release), everything()
    for changed in (row("late"), row("spare-1", request=OTHER_TEXT), row("kids", "other")):
        with pytest.raises(imports.CasesFrozen):
            bring(release, changed)
    with pytest.raises(imports.CannotUndo):
        imports.undo_import(release=release, number=1, user=None, now=NOW)
    assert (content_digest(release), everything()) == (content, before)


@pytest.mark.django_db
def test_importing_the_same_file_into_a_started_release_changes_nothing() -> None:
    release = started()
    before = everything()
    tags = FILLING | SPARE
    outcome = import_lines(release, lines(*(row(key, *own) for key, own in tags.items())))
    assert (outcome.new, outcome.changed, outcome.unchanged) == (0, 0, 8)
    assert everything() == before


def test_tags_and_exclusions_of_a_started_release_stay(ada: User) -> None:
    release = filled()
    exclude(release, "spare-3")
    draw(release)
    start(release)
    before = everything()
    for act in (tags_workflow.give, tags_workflow.take_away, tags_workflow.leave_to_detectors):
        with pytest.raises(DraftOnly):
            act(
                release=release,
                codes=codes(release, "kids", "spare-1"),
                tag="family",
                reason=WHY,
                user=ada,
                now=NOW,
            )
    with pytest.raises(DraftOnly):
        exclude(release, "spare-1")
    with pytest.raises(DraftOnly):
        let_in(release, "spare-3")
    assert everything() == before


@pytest.mark.django_db
def test_a_started_release_is_not_drawn_again_and_loses_no_case() -> None:
    release = started()
    before = everything()
    with pytest.raises(WrongStatus):
        draw(release, size=6)
    with pytest.raises(WrongStatus):
        remove(release, "kids")
    assert everything() == before


# --- The policy -----------------------------------------------------------------------------------

# What the start of a sample of 5 of 8 cases adds to the limits.
PLANNED: dict[str, Any] = {
    "regression": "report",
    "regression_by": "scores",
    "looks": [5, 8],
    "rules": 2,
    "prior": {"sd": 0.9, "degrees": 4, "releases": []},
}


@pytest.mark.django_db
def test_the_policy_is_spelled_out_at_the_start() -> None:
    release = drawn()
    assert release.policy == {}
    start(release)
    assert current(release).policy == {
        "floors": {"usability-value": 3.0, "personalization": 3.0},
        "margin": 0.5,
        "within_one": 0.8,
        "accept": ["pass"],
        **PLANNED,
    }


@pytest.mark.django_db
def test_limits_of_ones_own_are_kept_and_the_rest_is_spelled_out() -> None:
    release = drawn()
    own = {"floors": {"personalization": 3.5, "of-an-older-rubric": 1.0}, "within_one": 0.9}
    Release.objects.filter(pk=release.pk).update(policy=own)
    spelled_out = {
        "floors": {"usability-value": 3.0, "personalization": 3.5},
        "margin": 0.5,
        "within_one": 0.9,
        "accept": ["pass"],
        **PLANNED,
    }
    start(release)
    release = current(release)
    assert release.policy == spelled_out
    assert release.events.get(kind="review-started").data["policy"] == spelled_out


@pytest.mark.django_db
def test_a_new_default_does_not_move_the_limits_of_a_started_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = started()
    monkeypatch.setattr(policy, "DEFAULT_FLOOR", 1.0)
    assert policy.from_data(current(release).policy).floor("personalization") == 3.0


def filled_form(release: Release, **changes: str) -> ReleaseEditForm:
    values = {
        "product": release.product,
        "rubric": str(release.rubric.number),
        "reviews_per_case": "2",
        "baseline": "",
        "due_date": "",
        "margin": "0.5",
        "within_one": "80",
        "accept": "pass",
        "floor_usability-value": "3",
        "floor_personalization": "3",
    }
    return ReleaseEditForm(values | changes, instance=release)


@pytest.mark.django_db
def test_the_usual_limits_are_stored_as_none() -> None:
    form = filled_form(drawn())
    assert form.is_valid(), form.errors
    assert form.cleaned_data["policy"] == {}


@pytest.mark.django_db
def test_the_form_stores_limits_that_start_spells_out() -> None:
    release = drawn()
    form = filled_form(
        release, margin="0.25", within_one="75", **{"floor_personalization": "0", "reason": "New."}
    )
    assert form.is_valid(), form.errors
    release = releases_workflow.change(
        release=release, policy=form.cleaned_data["policy"], user=None, now=NOW
    )
    assert start(release).policy == {
        "floors": {"usability-value": 3.0, "personalization": 0.0},
        "margin": 0.25,
        "within_one": 0.75,
        "reason": "New.",
        "accept": ["pass"],
        **PLANNED,
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"margin": "-0.1"},
        {"margin": "10.1"},
        {"margin": "nan"},
        {"margin": "inf"},
        {"margin": ""},
        {"within_one": "101"},
        {"within_one": "-1"},
        {"within_one": "80.5"},
        {"floor_personalization": "5.1"},
        {"floor_personalization": "-1"},
        {"floor_usability-value": ""},
    ],
)
@pytest.mark.django_db
def test_limits_that_make_no_sense_are_refused_at_their_field(wrong: dict[str, str]) -> None:
    form = filled_form(make_release(), **wrong)
    assert not form.is_valid()
    assert list(form.errors) == list(wrong)


@pytest.mark.django_db
def test_a_limit_of_minus_zero_does_not_break_the_ledger() -> None:
    """PostgreSQL keeps no sign of a zero, and the digest was taken with one."""
    release = drawn()
    form = filled_form(release, margin="-0", **{"floor_personalization": "-0", "reason": "New."})
    assert form.is_valid(), form.errors
    releases_workflow.change(
        release=release, policy=form.cleaned_data["policy"], user=None, now=NOW
    )
    assert ledger.verify(release)
    start(release)
    assert ledger.verify(release)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("5, 8, 12", {}),
        ("", {}),
        ("7", {"looks": [7]}),
        (" 6,9 ", {"looks": [6, 9]}),
        ("6，9、11", {"looks": [6, 9, 11]}),
    ],
)
def test_the_form_reads_planned_looks(text: str, looks: dict[str, Any]) -> None:
    form = filled_form(drawn(), looks=text)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["policy"] == looks


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["0", "8, 5", "5, 5", "5 8", "five", "-5", "5,", "10001", "9" * 50, "1,2,3,4,5,6,7,8,9"]
)
def test_the_form_refuses_other_looks(text: str) -> None:
    form = filled_form(drawn(), looks=text)
    assert list(form.errors) == ["looks"]
    assert "rising whole numbers" in str(form.errors)


@pytest.mark.django_db
def test_the_form_stores_what_a_comparison_must_show() -> None:
    release = drawn()
    form = filled_form(release, regression="required")
    assert form.is_valid(), form.errors
    assert form.cleaned_data["policy"] == {"regression": "required"}
    assert list(filled_form(release, regression="never").errors) == ["regression"]


@pytest.mark.django_db
def test_sizes_below_the_sample_or_above_the_pool_drop_out() -> None:
    for size, looks in ((5, [5, 8]), (6, [6, 8]), (8, [8])):
        release = drawn(f"wanderer-{size}", size=size)
        start(release)
        assert current(release).policy["looks"] == looks
