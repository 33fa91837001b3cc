"""assign: what it prints, what it writes, and how it refuses."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from cases.models import Release
from evalsite.permissions import Role
from reviews.models import Review, Reviewer
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, make_groups, make_person


def run(*arguments: str) -> list[str]:
    out, wrong = StringIO(), StringIO()
    call_command("assign", *arguments, stdout=out, stderr=wrong)
    assert wrong.getvalue() == ""
    return out.getvalue().splitlines()


def refused(*arguments: str) -> list[str]:
    before = bed.everything()
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert refusal.value.returncode == 1
    assert bed.everything() == before
    return str(refusal.value).split("\n")


def assigned(release: Release) -> list[str]:
    rows = Review.objects.of(release).order_by("case__case_key", "reviewer__username")
    return [
        f"{case}\t{who}" for case, who in rows.values_list("case__case_key", "reviewer__username")
    ]


def test_it_prints_each_case_with_its_people_and_writes_them(
    rita: User, omar: User, ada: User
) -> None:
    release = bed.started()
    said = run("wanderer-1", "--by", "ada")
    assert said == [*assigned(release), "10 assigned, 0 missing."]
    assert len(assigned(release)) == 10
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == ("reviews-planned", "ada")


def test_a_dry_run_prints_the_same_and_writes_nothing(rita: User, omar: User) -> None:
    release = bed.started()
    before = bed.everything()
    looked = run("wanderer-1", "--dry-run")
    assert bed.everything() == before
    assert looked[-1] == "10 would be assigned, 0 missing."
    assert run("wanderer-1")[:-1] == looked[:-1] == assigned(release)


def test_run_again_it_changes_nothing(rita: User, omar: User) -> None:
    bed.started()
    run("wanderer-1")
    before = bed.everything()
    assert run("wanderer-1") == ["0 assigned, 0 missing."]
    assert bed.everything() == before


def test_people_and_number_are_taken_as_told(rita: User, omar: User) -> None:
    release = bed.started()
    assert run("wanderer-1", "--reviewers", " omar ", "--per-case", "1")[-1] == (
        "5 assigned, 0 missing."
    )
    assert {line.split("\t")[1] for line in assigned(release)} == {"omar"}


def test_what_is_missing_is_said_with_the_reasons_and_is_no_refusal(rita: User, omar: User) -> None:
    make_person("lin", Role.REVIEWER, languages=("ja",))
    Reviewer.objects.filter(user=omar).update(capacity=0)
    bed.started()
    said = run("wanderer-1")
    [gap] = [line for line in said if "missing." in line and "assigned" not in line]
    assert gap == (
        "feast, kids, ramp, rush, thrift: 1 reviewer is missing. "
        "Cannot read English, Chinese: lin. No room left: omar."
    )
    assert said[-1] == "5 assigned, 5 missing."
    assert "omar: fewer than others (up to 5): no room left" in said


def test_a_refusal_gives_every_reason_a_line_and_writes_nothing(rita: User) -> None:
    release = bed.drawn()
    assert refused("wanderer-1") == ["wanderer-1 is still a draft: start the review first."]
    releases_lifecycle.start(release=release, user=None, now=NOW)
    assert refused("wanderer-1", "--reviewers", "ghost,rita,sam") == [
        "ghost is not an active reviewer.",
        "sam is not an active reviewer.",
    ]
    assert refused("wanderer-1", "--reviewers", ",") == ["Choose at least one person."]
    assert refused("wanderer-1", "--per-case", "0") == ["A case has 1 to 20 reviewers."]
    assert refused("wanderer-1", "--per-case", "x", "--dry-run")[0].endswith(
        "invalid int value: 'x'"
    )
    assert refused("nowhere") == ["There is no release called nowhere."]
    assert refused("wanderer-1", "--by", "ghost") == ["No active person is called ghost."]


@pytest.mark.django_db
def test_people_made_by_create_user_and_put_into_the_group_receive_cases() -> None:
    """Without a profile row they read every language and have no limit."""
    for name in ("dora", "emil"):
        person = User.objects.create_user(name)
        person.groups.add(make_groups()["Reviewers"])
    release = bed.started()
    assert not Reviewer.objects.filter(user__username__in=["dora", "emil"]).exists()
    assert run("wanderer-1")[-1] == "10 assigned, 0 missing."
    assert {line.split("\t")[1] for line in assigned(release)} == {"dora", "emil"}


@pytest.mark.django_db
def test_a_row_made_for_something_else_does_not_take_their_languages_away(
    as_user: AsUser,
) -> None:
    dora = User.objects.create_user("dora")
    dora.groups.add(make_groups()["Reviewers"])
    as_user(dora).post("/language/", {"language": "en", "next": "/"})
    assert Reviewer.objects.get(user=dora).interface_language == "en"
    bed.started()
    assert run("wanderer-1", "--per-case", "1")[-1] == "5 assigned, 0 missing."


def test_assigning_nothing_is_refused_with_the_reason_for_each_person(omar: User) -> None:
    make_person("lin", Role.REVIEWER, languages=("ja",))
    Reviewer.objects.filter(user=omar).update(capacity=0)
    bed.started()
    reasons = [
        "lin: cannot read English, Chinese.",
        "omar: no room left.",
        "0 assigned, 10 missing.",
    ]
    assert refused("wanderer-1") == reasons
    assert refused("wanderer-1", "--dry-run") == reasons


@pytest.mark.django_db
def test_without_any_reviewer_it_says_what_to_do() -> None:
    bed.started()
    assert refused("wanderer-1") == [
        "There is no active reviewer: put people into the group Reviewers.",
        "0 assigned, 10 missing.",
    ]
