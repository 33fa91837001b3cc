"""My mirror: how a reviewer used the scale, alone, and only after closing."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.desk import judgement as said
from reviews.desk.judgement import Judgement
from reviews.desk.mirror import build_mirrors, find_majority, list_closings
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, make_person
from tests.reviews.adjudication.settling_pages import code_of, queries, words

pytestmark = pytest.mark.usefixtures("rubric")

USABILITY = 0


@pytest.fixture
def wei(db: None) -> User:
    return make_person("wei", Role.REVIEWER)


def close(release: Release, *, days: int = 0) -> Release:
    missing = [one.rule for one in releases_lifecycle.find_missing_for_close(release)]
    now = NOW + timedelta(days=days)
    releases_lifecycle.close(release=release, waived=missing, reason="enough", user=None, now=now)
    return bed.current(release)


def mirror_of(user: User) -> Any:
    [found] = build_mirrors(user, list(list_closings(user)), language="en")
    return found


def put(release: Release, case_key: str, user: User, value: int, **by_metric: int) -> None:
    """Submitted, with nothing told of how it came in."""
    options: dict[str, Any] = {**by_metric}
    bed.put_judgements(release, {case_key: {user: bed.judgement(value, **options)}})


def answered(answer: str) -> Judgement:
    data = said.to_data(bed.judgement())
    data["answers"][bed.ITEMS[0]]["answer"] = answer
    return said.from_data(data)


def test_it_is_for_reviewers(as_user: AsUser, rita: User, ada: User, mina: User, sam: User) -> None:
    page = as_user(rita).get("/mirror/")
    assert page.status_code == 200
    assert "Nothing to show yet" in words(page)
    for person in (ada, mina):
        assert as_user(person).get("/mirror/").status_code == 403
    assert as_user(sam).get("/mirror/").status_code == 404
    assert as_user(None).get("/mirror/").headers["Location"].startswith("/sign-in/")
    assert as_user(rita).post("/mirror/").status_code == 405


def test_nothing_of_a_release_that_is_not_closed(
    as_user: AsUser, rita: User, omar: User, mina: User
) -> None:
    release = bed.started()
    put(release, "feast", rita, 4)
    put(release, "feast", omar, 1)
    client = as_user(rita)
    empty = "Nothing to show yet"
    assert empty in words(client.get("/mirror/"))
    close(release)
    assert empty not in words(client.get("/mirror/"))
    releases_lifecycle.reopen(release=release, reason="again", user=None, now=NOW)
    assert empty in words(client.get("/mirror/"))
    releases_lifecycle.abandon(release=release, reason="never mind", user=None, now=NOW)
    assert empty in words(client.get("/mirror/"))


def test_own_cases_only_and_never_the_name(
    as_user: AsUser, rita: User, omar: User, wei: User
) -> None:
    release = bed.started()
    put(release, "feast", rita, 4)
    put(release, "feast", omar, 1)
    put(release, "kids", omar, 1)
    put(release, "kids", wei, 4)
    close(release)
    page = as_user(rita).get("/mirror/").content.decode()
    assert code_of(release, "feast") in page
    assert "1 case<" in page
    for hidden in (release.name, "feast", "kids", "omar", "wanderer", code_of(release, "kids")):
        assert hidden not in page
    assert "Nothing to show yet" in words(
        as_user(make_person("new", Role.REVIEWER)).get("/mirror/")
    )


def test_a_declined_or_withdrawn_case_does_not_count(rita: User, omar: User) -> None:
    release = bed.started()
    put(release, "feast", rita, 4)
    own = bed.assign(release, "kids", rita)
    Review.objects.filter(pk=own.pk).update(status="declined", declined_for="conflict")
    close(release)
    assert mirror_of(rita).cases == 1
    assert list(list_closings(omar)) == []


def test_how_the_scale_was_used(rita: User, omar: User, wei: User) -> None:
    release = bed.started(k=3)
    for case_key, own, first, second in [
        ("feast", 4, 3, 4),
        ("kids", 4, 4, 4),
        ("rush", 0, 4, 5),
    ]:
        put(release, case_key, rita, own)
        put(release, case_key, omar, first)
        put(release, case_key, wei, second)
    put(release, "ramp", omar, 2)
    close(release)
    scale = mirror_of(rita).scales[USABILITY]
    assert (scale.own_total, scale.team_total) == (3, 9)
    assert [one.own for one in scale.levels] == [1, 0, 0, 0, 2, 0]
    assert [one.team for one in scale.levels] == [1, 0, 0, 1, 6, 1]
    assert [one.own_percent for one in scale.levels] == [33, 0, 0, 0, 67, 0]


# What somebody said, what two others said, and the mean from which it is a point or more away.
FROM_THE_MEAN = [
    (4, (4, 4), None),
    (4, (3, 4), None),
    (4, (3, 3), None),
    (4, (2, 3), 3.0),
    (5, (4, 4), None),
    (5, (3, 4), 4.0),
    (2, (4, 4), 10 / 3),
]


def test_a_point_or_more_from_the_mean(rita: User, omar: User, wei: User) -> None:
    """Each on a case of its own."""
    more = {"more-1": (), "more-2": ()}
    release = bed.started(k=3, size=7, without=bed.SPARE, more=more)
    keys = bed.sampled(release)
    given = {
        key: {
            user: bed.judgement(4, usability_value=value)
            for user, value in zip((rita, omar, wei), (own, *others), strict=True)
        }
        for key, (own, others, _agreed) in zip(keys, FROM_THE_MEAN, strict=True)
    }
    bed.put_judgements(release, given)
    close(release)
    found = {one.review.case.code: one for one in mirror_of(rita).score_differences}
    assert {code: (one.own.value, one.agreed) for code, one in found.items()} == {
        code_of(release, key): (own, agreed)
        for key, (own, _others, agreed) in zip(keys, FROM_THE_MEAN, strict=True)
        if agreed
    }
    assert [level.value for level in found[code_of(release, keys[-1])].levels] == [3, 4]


def test_what_was_adjudicated_counts_before_the_mean(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = bed.started()
    put(release, "feast", rita, 4, usability_value=5)
    put(release, "feast", omar, 4, usability_value=1)
    bed.settle(release, "feast", mina, usability_value=5)
    close(release)
    assert mirror_of(rita).score_differences == []
    [found] = mirror_of(omar).score_differences
    assert (found.agreed, found.is_adjudicated) == (5.0, True)
    page = words(as_user(omar).get("/mirror/")).replace("/ ", "/")
    metric = rubric.document.metrics[USABILITY]
    assert metric.level(1).text in page
    assert metric.level(5).text in page
    assert "Agreed by adjudication 5" in page


def test_an_adjudication_that_no_longer_stood_does_not_count(
    rita: User, omar: User, mina: User
) -> None:
    release = bed.started()
    bed.review(release, "feast", rita, 4, usability_value=5)
    own = bed.review(release, "feast", omar, 4, usability_value=1)
    bed.settle(release, "feast", mina, usability_value=0)
    bed.submit(own, bed.judgement(4, usability_value=4), reason="read again")
    close(release)
    assert mirror_of(rita).score_differences == []


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([], None),
        (["yes"], "yes"),
        (["yes", "no"], None),
        (["yes", "yes", "no"], "yes"),
        (["yes", "yes", "no", "na"], None),
        (["na", "na", "na", "no"], "na"),
    ],
)
def test_a_majority_is_more_than_half(answers: list[str], expected: str | None) -> None:
    assert find_majority(answers) == expected


def test_questions_that_most_of_the_others_answered_differently(
    as_user: AsUser, rita: User, omar: User, wei: User, rubric: Rubric
) -> None:
    release = bed.started(k=3)
    for case_key, own, first, second in [
        ("feast", "yes", "no", "no"),
        ("kids", "yes", "no", "yes"),
        ("rush", "na", "yes", "yes"),
        ("ramp", "yes", "no", "na"),
    ]:
        said_by = {rita: answered(own), omar: answered(first), wei: answered(second)}
        bed.put_judgements(release, {case_key: said_by})
    close(release)
    [found] = mirror_of(rita).question_differences
    assert found.question.key == bed.ITEMS[0]
    told = {one.review.case.code: (one.own, one.others) for one in found.cases}
    assert told == {
        code_of(release, "feast"): ("yes", "no"),
        code_of(release, "rush"): ("not applicable", "yes"),
    }
    answer = as_user(rita).get("/mirror/")
    assert f"{rubric.document.questions[0].text} in 2 of 4 cases" in words(answer)
    # Each code leads to the own review.
    for key in ("feast", "rush"):
        mine = rita.reviews.get(case__case_key=key)
        assert f'href="/reviews/{mine.pk}/"><code class="badge">' in answer.content.decode()


def test_a_case_that_nobody_else_read_says_nothing(rita: User) -> None:
    release = bed.started(k=1)
    put(release, "feast", rita, 0)
    close(release)
    found = mirror_of(rita)
    assert (found.score_differences, found.question_differences) == ([], [])


def test_every_bar_has_its_number(as_user: AsUser, rita: User, omar: User) -> None:
    release = bed.started()
    put(release, "feast", rita, 4)
    put(release, "feast", omar, 4)
    close(release)
    page = as_user(rita).get("/mirror/").content.decode()
    bars = re.findall(
        r'<rect class="(own|team)" width="(\d+)".*?<span class="number">(\d+)</span>', page
    )
    assert len(bars) == 2 * 2 * 6
    assert [one for one in bars if one[2] != "0"] == [("own", "100", "1"), ("team", "100", "2")] * 2
    assert (
        page.count('<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">') == 24
    )


def test_the_newest_comes_first_and_pages_hold_five(as_user: AsUser, rita: User) -> None:
    for number in range(6):
        release = bed.started(f"r-{number}", k=1, without=bed.SPARE)
        put(release, "feast", rita, 4)
        close(release, days=number)
    client = as_user(rita)
    first = words(client.get("/mirror/"))
    assert first.count("Closed ") == 5
    assert "Page 1 of 2" in first
    assert words(client.get("/mirror/?page=2")).count("Closed ") == 1


def test_the_page_takes_the_same_queries_for_5_cases_and_for_12(
    as_user: AsUser, rita: User, omar: User
) -> None:
    few = bed.started("few", without=bed.SPARE)
    bed.put_reviews(few, rita, value=5)
    bed.put_reviews(few, omar, value=1)
    close(few)
    client: Client = as_user(rita)
    for_few = queries(client, "/mirror/")
    many = bed.started(
        "many", size=12, without=bed.SPARE, more={f"more-{one:02}": () for one in range(7)}
    )
    bed.put_reviews(many, rita, value=5)
    bed.put_reviews(many, omar, value=1)
    close(many)
    assert queries(client, "/mirror/") == for_few
