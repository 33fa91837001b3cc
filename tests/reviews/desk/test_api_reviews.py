"""Reviews by script: blind, one's own, saved once and submitted once."""

import json
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from cases.models import Release
from evalsite.permissions import ROUTES, Role, list_methods
from reviews.desk.api import ReviewWhole
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.api import Script, by, code, problems
from tests.bed.cases import NOW, lines, make_case
from tests.people import also
from tests.reviews.desk.desk import body, given, one_for


@pytest.fixture
def rest(rita: User) -> Script:
    return Script(session=rita)


# --- Reading --------------------------------------------------------------------------------------


def test_the_next_review_comes_whole_until_there_is_none(rest: Script, rita: User) -> None:
    assert rest.get("reviews/next/").status_code == 204
    mine = one_for(rita)
    answer = rest.get("reviews/next/")
    assert answer.json()["id"] == mine.pk
    assert answer.json() == rest.get(f"reviews/{mine.pk}/").json()
    msgspec.json.decode(answer.content, type=ReviewWhole)


def test_a_reviewer_stays_blind(rita: User) -> None:
    """A word of its own in each part that is not for them."""
    release = bed.filled("secret-name")
    case = make_case(
        "qz-key",
        id="qz-id",
        release={"product": "qz-product", "version": "qz-version", "commit": "qz-commit"},
        source={"request": "qz-source", "derived": ["request.days"]},
        tags=["family", "qz-tag"],
        automated_checks={"qz-check": {"status": "pass", "evidence": "qz-evidence"}},
        extra={"qz-extra": 1},
        request={"qz-field": "qz-request"},
        plan={"notes": ["Bring water. | persona=qz-machine"], "qz-more": 1},
    )
    from_file = json.loads(lines(case))
    bed.bring(release, from_file)
    bed.draw(release)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    release = bed.current(release)
    if "qz-key" not in bed.sampled(release):
        amendments.add(release=release, case_key="qz-key", reason="x", user=None, now=NOW)
    mine = bed.assign(release, "qz-key", rita)
    answer = Script(session=rita).get(f"reviews/{mine.pk}/")
    assert "qz-" not in answer.content.decode().lower()
    assert "secret-name" not in answer.content.decode()
    whole = answer.json()["case"]
    assert whole["plan"]["notes"] == ["Bring water."]
    assert whole["read_from_text"] == ["days"]
    assert whole["facts"]
    listed = Script(session=rita).get("reviews/").content.decode()
    assert "qz-" not in listed
    assert "secret-name" not in listed


def test_one_lists_ones_own(rest: Script, rita: User, omar: User) -> None:
    given(rita, "feast", "kids")
    bed.assign(bed.current(Review.objects.all()[0].release), "ramp", omar)
    found = rest.get("reviews/").json()["results"]
    assert len(found) == 2
    assert all("case_key" not in one and "content" not in one for one in found)
    assert rest.get("reviews/?status=submitted").json()["results"] == []
    assert code(rest.get("reviews/?release=wanderer-1&case_key=feast")) == (403, "forbidden")


def test_the_reviews_of_a_case_open_when_all_are_in(ada: User, rita: User, omar: User) -> None:
    release = bed.started()
    script = Script(session=ada)
    address = "reviews/?release=wanderer-1&case_key=feast"
    bed.review(release, "feast", rita, 3)
    assert code(script.get(address)) == (409, "reviews_missing")
    bed.review(release, "feast", omar, 4)
    found = script.get(address).json()["results"]
    assert [one["reviewer"] for one in found] == ["omar", "rita"]
    assert found[1]["content"]["scores"]["personalization"]["value"] == 3
    page = script.get(f"{address}&limit=1").json()
    assert page["results"] == found[:1]
    rest = script.get(page["next"].partition("/api/v1/")[2]).json()
    assert rest == {"results": found[1:], "next": None}
    assert list(problems(script.get(f"{address}&status=submitted"))) == ["status"]
    assert script.get("reviews/?release=wanderer-1").status_code == 400
    assert script.get("reviews/?release=wanderer-1&case_key=x").status_code == 404


def test_nobody_sees_others_scores_with_an_own_review_to_submit(ada: User, rita: User) -> None:
    release = bed.started(k=1)
    bed.review(release, "feast", rita)
    bed.assign(release, "kids", also(ada, Role.REVIEWER))
    script = Script(session=ada)
    for address in (
        "reviews/?release=wanderer-1&case_key=feast",
        "releases/wanderer-1/summary/",
        "releases/wanderer-1/verdict/",
        "releases/wanderer-1/adjudications/",
        "releases/wanderer-1/export.csv",
        "releases/wanderer-1/export.zip",
    ):
        assert code(script.get(address)) == (409, "own_review_open"), address


VERBS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"]


def test_anothers_review_is_not_there_on_any_verb(rita: User, omar: User) -> None:
    """Nor on one that the address has not, which only its owner is told."""
    theirs, mine = one_for(omar), bed.assign(Release.objects.get(), "kids", rita)
    script = by(rita)
    bodies: list[Any] = [{}, {"version": 0}, {"nonsense": 0}, b"{", body()]
    bodies += [{"reason": "x"}, {"reason": ""}]
    routes = {name for name in ROUTES if name.startswith("api-review-")} - {"api-review-next"}
    for route in ("api-review", *sorted(routes)):
        address = reverse(route, args=[mine.pk]).removeprefix("/api/v1/")
        for method in VERBS:
            there = method in list_methods(route)
            for pk in (theirs.pk, 10**12, 10**40):
                other = reverse(route, args=[pk]).removeprefix("/api/v1/")
                for sent in bodies if there and method in ("POST", "PUT") else bodies[:1]:
                    answer = script.send(method, other, sent, Idempotency_Key="k")
                    assert answer.status_code == 404, (route, method, pk, sent)
                assert script.send(method, f"{other}?x=1", body()).status_code == 404
            if not there:
                told = script.send(method, address, b"")
                assert told.status_code == 405, (route, method)
                assert told["Allow"] == ", ".join(list_methods(route))
    for review in (theirs, mine):
        review.refresh_from_db()
        assert (review.status, review.version, review.draft) == ("assigned", 0, {})


# --- Writing --------------------------------------------------------------------------------------


def test_a_draft_is_saved_and_a_stale_one_refused_with_what_is_stored(
    rest: Script, rita: User
) -> None:
    mine = one_for(rita)
    address = f"reviews/{mine.pk}/draft/"
    saved = rest.put(address, {"version": 0, "comment": "First."})
    assert saved.json()["version"] == 1
    assert saved.json()["saved_at"]
    stale = rest.put(address, {"version": 0, "comment": "Second."})
    assert code(stale) == (409, "stale_version")
    assert (stale.json()["version"], stale.json()["draft"]) == (1, {"comment": "First."})


BAD: list[tuple[dict[str, Any], str]] = [
    ({"scores": {"personalization": {"value": 9}}}, "scores.personalization.value"),
    ({"scores": {"personalization": {"value": "4"}}}, "scores.personalization.value"),
    ({"scores": {"personalization": {"value": 4.0}}}, "scores.personalization.value"),
    ({"scores": {"nothing": {"value": 4}}}, "scores.nothing"),
    ({"answers": {"personalization.1": {"answer": "maybe"}}}, "answers.personalization.1.answer"),
    ({"flags": ["rude"]}, "flags[0]"),
    ({"status": "submitted"}, "status"),
    ({"reviewer": 1}, "reviewer"),
    ({"comment": "a\0b"}, "comment"),
    ({"version": -1}, "version"),
    ({"scores": {"personalization": {"evidence": [{"kind": "x", "ref": ""}]}}}, ""),
]


@pytest.mark.parametrize(("part", "path"), BAD, ids=lambda one: str(one)[:40])
def test_what_a_draft_cannot_say_is_named(
    part: dict[str, Any], path: str, rest: Script, rita: User
) -> None:
    mine = one_for(rita)
    answer = rest.put(f"reviews/{mine.pk}/draft/", {"version": 0} | part)
    assert answer.status_code == 400
    assert path in "".join(problems(answer))
    mine.refresh_from_db()
    assert (mine.version, mine.draft) == (0, {})


def test_a_submit_sent_twice_is_one(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    address = f"reviews/{mine.pk}/submit/"
    first = rest.post(address, body(), Idempotency_Key="k1")
    again = rest.post(address, body(), Idempotency_Key="k1")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    other = rest.post(address, body(value=3), Idempotency_Key="k1")
    assert code(other) == (409, "idempotency_key_reused")
    assert code(rest.post(address, body())) == (400, "bad_idempotency_key")


def test_the_version_alone_submits_the_stored_draft(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    rest.put(f"reviews/{mine.pk}/draft/", body())
    answer = rest.post(f"reviews/{mine.pk}/submit/", {"version": 1}, Idempotency_Key="k1")
    assert answer.json()["version"] == 2
    whole = rest.get(f"reviews/{mine.pk}/").json()
    assert whole["submitted"] == whole["draft"]


def test_every_missing_part_is_named(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    answer = rest.post(f"reviews/{mine.pk}/submit/", {"version": 0}, Idempotency_Key="k1")
    assert code(answer) == (400, "incomplete")
    assert set(problems(answer)) == {
        *(f"answers.{item}" for item in bed.ITEMS),
        *(f"scores.{metric}.value" for metric in bed.METRICS),
    }


def test_evidence_that_leads_nowhere_is_named(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    address = f"reviews/{mine.pk}/submit/"
    score = body()["scores"]["personalization"]

    def sent(*pieces: tuple[str, str]) -> dict[str, Any]:
        evidence = [{"kind": kind, "ref": ref} for kind, ref in pieces]
        return body(scores=body()["scores"] | {"personalization": score | {"evidence": evidence}})

    bad = sent(("stop", "/plan/days/0"), ("stop", "/plan/days/9"), ("fact", "x"), ("quote", "/x"))
    refused = rest.post(address, bad, Idempotency_Key="k1")
    assert code(refused) == (400, "incomplete")
    assert list(problems(refused)) == [
        f"scores.personalization.evidence[{place}].ref" for place in (1, 2, 3)
    ]
    good = sent(("stop", "/plan/days/1"), ("fact", "meals"), ("quote", "/request/text#0-2"))
    assert rest.post(address, good, Idempotency_Key="k1").status_code == 200


def test_a_contradiction_is_asked_about(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    address = f"reviews/{mine.pk}/submit/"
    asked = rest.post(address, body(value=0), Idempotency_Key="k1")
    assert code(asked) == (400, "incoherent")
    coherence = dict.fromkeys(bed.METRICS, "The plan is of another city.")
    answer = rest.post(address, body(value=0, coherence=coherence), Idempotency_Key="k2")
    assert answer.status_code == 200


def test_a_case_is_given_back_with_a_reason(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    address = f"reviews/{mine.pk}/decline/"
    assert problems(rest.post(address, {"reason": ""})) == {
        "reason": "Say why: a reason is kept with this."
    }
    assert rest.post(address, {"reason": "I know the author."}).json() == {"status": "declined"}
    late = rest.put(f"reviews/{mine.pk}/draft/", {"version": 0})
    assert code(late) == (409, "review_not_open")
    assert late.json()["detail"] == rest.get(f"reviews/{mine.pk}/").json()["sentence"]
    assert late.json()["detail"].startswith("You said that this case cannot be judged.")


def test_a_closed_release_is_not_named_to_its_reviewer(rest: Script, rita: User) -> None:
    mine = one_for(rita)
    releases_lifecycle.abandon(
        release=bed.current(mine.release), reason="Superseded.", user=None, now=NOW
    )
    answer = rest.put(f"reviews/{mine.pk}/draft/", {"version": 0})
    assert code(answer) == (409, "release_frozen")
    assert "wanderer" not in answer.content.decode()
