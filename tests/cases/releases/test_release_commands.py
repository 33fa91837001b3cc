"""Opening a release: the command, and the function below it and the form."""

from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from cases import ledger
from cases.models import Release, Rubric
from cases.releases import workflow as releases_workflow
from cases.rubrics import workflow as rubrics_workflow
from tests.bed.cases import NOW, database_digest, make_release

OTHER_RUBRIC = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8").replace("Eval", "Another")


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("create_release", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def refused(*arguments: object) -> str:
    """What the command says; nothing may be written."""
    before = database_digest()
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert refusal.value.returncode == 1
    assert database_digest() == before
    return str(refusal.value)


def create(**changes: Any) -> Release:
    values: dict[str, Any] = {
        "name": "wanderer-1",
        "product": "wanderer",
        "rubric": Rubric.objects.newest(),
        "reviews_per_case": 2,
        "baseline": None,
        "due_date": None,
        "user": None,
        "now": NOW,
    }
    return releases_workflow.create(**(values | changes))


# --- What comes of it -----------------------------------------------------------------------------


def test_a_release_opens_as_a_draft_with_sensible_values(rubric: Rubric) -> None:
    said = run("wanderer-1")
    assert said == (
        "Release wanderer-1 is open as a draft: rubric version 1, 2 reviews per case.\n"
    )
    release = Release.objects.get()
    assert (release.name, release.product, release.status) == ("wanderer-1", "", "draft")
    assert (release.rubric, release.reviews_per_case) == (rubric, 2)
    assert (release.baseline, release.due_date) == (None, None)


def test_everything_can_be_said(rubric: Rubric, ada: User) -> None:
    rubrics_workflow.publish(text=OTHER_RUBRIC, user=None, now=NOW)
    run("wanderer-0", "--product", "wanderer")
    run(
        *("wanderer-1", "--product", "wanderer", "--rubric", 1, "--per-case", 3),
        *("--baseline", "wanderer-0", "--due", "2035-12-24", "--by", "ada"),
    )
    release = Release.objects.get(name="wanderer-1")
    assert release.product == "wanderer"
    assert (release.rubric.number, release.reviews_per_case) == (1, 3)
    assert release.baseline == Release.objects.get(name="wanderer-0")
    assert release.due_date == date(2035, 12, 24)
    event = release.events.get()
    assert (event.kind, event.by) == ("release-created", "ada")
    assert event.data == {
        "product": "wanderer",
        "rubric": 1,
        "rubric_digest": rubric.digest,
        "reviews_per_case": 3,
        "baseline": "wanderer-0",
        "due_date": "2035-12-24",
    }


def test_the_newest_rubric_is_taken_unless_said_otherwise(rubric: Rubric) -> None:
    rubrics_workflow.publish(text=OTHER_RUBRIC, user=None, now=NOW)
    run("wanderer-1")
    assert Release.objects.get().rubric.number == 2


def test_the_product_is_that_of_the_baseline_unless_said_otherwise(rubric: Rubric) -> None:
    make_release("wanderer-1", product="wanderer")
    run("wanderer-2", "--baseline", "wanderer-1")
    assert Release.objects.get(name="wanderer-2").product == "wanderer"


def test_the_ledger_begins_with_the_release(rubric: Rubric) -> None:
    release = create()
    release.refresh_from_db()
    assert release.ledger_length == 1
    assert ledger.verify(release) == 1


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "7", "x" * 80, "planner-2026.11", "a@b+c_d.e-f", "A..-"])
def test_a_name_that_fits_is_taken(rubric: Rubric, name: str) -> None:
    run(name)
    assert Release.objects.get().name == name


@pytest.mark.parametrize(
    "name", ["", " ", "x" * 81, "-a", ".a", "_a", "a b", "a/b", "a\n", "a\x00", "云溪", "a?b", "é"]
)
def test_a_name_that_does_not_fit_is_refused(rubric: Rubric, name: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        create(name=name)
    assert set(refusal.value.message_dict) == {"name"}
    assert not Release.objects.exists()


def test_a_name_is_given_once(rubric: Rubric) -> None:
    run("wanderer-1")
    assert refused("wanderer-1") == "name: There is a release of this name already."


def test_the_database_refuses_a_name_twice(rubric: Rubric) -> None:
    release = make_release()
    release.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        release.save(force_insert=True)


# --- What is refused ------------------------------------------------------------------------------


def test_without_a_rubric_the_command_says_what_to_do_first(db: None) -> None:
    assert refused("wanderer-1") == (
        "There is no rubric yet. Publish one first: load_rubric FILE.md"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rubric", 7], "There is no rubric version 7."),
        (["--rubric", 10**30], f"There is no rubric version {10**30}."),
        (["--baseline", "nothing"], "There is no release called nothing."),
        (["--by", "nobody"], "No active person is called nobody."),
        (["--due", "soon"], "--due: must be a date such as 2026-12-24, got 'soon'."),
        (["--due", "2026-02-30"], "--due: must be a date such as 2026-12-24, got '2026-02-30'."),
        (["--due", ""], "--due: must be a date such as 2026-12-24, got ''."),
        (["--per-case", 0], "reviews_per_case: "),
        (["--per-case", 21], "reviews_per_case: "),
        (["--per-case", -1], "reviews_per_case: "),
        (["--per-case", "two"], "invalid int value: 'two'"),
        (["--product", "x" * 201], "product: "),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    rubric: Rubric, arguments: list[object], words: str
) -> None:
    assert words in refused("wanderer-1", *arguments)


@pytest.mark.parametrize("count", [1, 20])
def test_1_to_20_reviews_a_case_are_taken(rubric: Rubric, count: int) -> None:
    run("wanderer-1", "--per-case", count)
    assert Release.objects.get().reviews_per_case == count


def test_a_baseline_of_another_product_is_refused(rubric: Rubric) -> None:
    make_release("stroller-1", product="stroller")
    said = refused("wanderer-1", "--product", "wanderer", "--baseline", "stroller-1")
    assert said == (
        "baseline: stroller-1 belongs to the product “stroller”, not to “wanderer”. "
        "Choose a baseline of the same product."
    )


def test_a_release_needs_a_name(rubric: Rubric) -> None:
    assert "NAME" in refused()


@pytest.mark.parametrize("values", [{"status": "open"}, {"reviews_per_case": 0}])
def test_the_database_refuses_what_no_release_can_be(
    rubric: Rubric, values: dict[str, Any]
) -> None:
    release = make_release()
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(**values)


def test_the_database_refuses_a_release_that_is_its_own_baseline(rubric: Rubric) -> None:
    release = make_release()
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(baseline=release.pk)
