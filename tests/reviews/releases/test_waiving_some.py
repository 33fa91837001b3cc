"""A rule about cases can be waived for some of them; what is waived adds up."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from cases import ledger
from cases.models import Release
from reviews.errors import NeedsReason
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers
from tests.bed import reviewed as bed
from tests.bed.api import Script, code
from tests.bed.cases import NOW
from tests.reviews.adjudication.settling_pages import words

pytestmark = pytest.mark.usefixtures("rubric")

REVIEWS = "/releases/wanderer-1/waive/?rule=reviews"
DISAGREEMENTS = "/releases/wanderer-1/waive/?rule=adjudications"


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """Each case has one of its two reviews; on kids and rush, with both, people disagree."""
    release = bed.started(k=2)
    for key in bed.sampled(release):
        bed.review(release, key, rita, 5)
    for key in ("kids", "rush"):
        bed.review(release, key, omar, 1)
    return bed.current(release)


def waive(release: Release, rule: str, *cases: str, reason: str = "Time.") -> dict[str, object]:
    waiver = waivers.waive(
        release=release, rule=rule, reason=reason, cases=cases, user=None, now=NOW
    )
    return {"reason": waiver.reason, **waiver.covers}


def test_only_the_chosen_reviews_are_waived(release: Release) -> None:
    assert waive(release, "reviews", "feast") == {"reason": "Time.", "reviews": {"feast": 1}}
    with pytest.raises(releases_lifecycle.CannotClose) as refused:
        releases_lifecycle.close(
            release=release, waived=["adjudications"], reason="r", user=None, now=NOW
        )
    [missing] = [one for one in refused.value.missing if one.rule == "reviews"]
    assert set(missing.cases) == {"ramp", "thrift"}


def test_more_of_them_are_added_with_their_reason(release: Release) -> None:
    waive(release, "reviews", "feast")
    assert waive(release, "reviews", "ramp", reason="Wei is ill.") == {
        "reason": "Time.; Wei is ill.",
        "reviews": {"feast": 1, "ramp": 1},
    }
    before = bed.everything()
    waive(release, "reviews", "ramp", reason="Wei is ill.")
    waive(release, "reviews", "feast", "ramp")
    assert bed.everything() == before
    assert release.events.filter(kind="rule-waived").count() == 2
    assert ledger.verify(bed.current(release))
    waive(release, "reviews", "thrift")
    waivers.waive(release=release, rule="adjudications", reason="r", user=None, now=NOW)
    assert releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)


def test_waiving_all_afterwards_covers_what_is_missing_by_then(release: Release) -> None:
    waive(release, "reviews", "feast")
    waiver = waivers.waive(release=release, rule="reviews", reason="All.", user=None, now=NOW)
    assert waiver.covers == {"reviews": {"feast": 1, "ramp": 1, "thrift": 1}}
    assert waivers.list_unwaived(release, "reviews") == []


def test_a_disagreement_alone_can_be_waived(release: Release) -> None:
    covered = waive(release, "adjudications", "kids")["cases"]
    assert isinstance(covered, dict)
    assert list(covered) == ["kids"]
    assert waivers.list_unwaived(release, "adjudications") == ["rush"]


@pytest.mark.parametrize(
    ("rule", "cases", "refusal", "sentence"),
    [
        ("reviews", ["kids"], waivers.NothingToWaive, "There is nothing to waive for kids."),
        ("reviews", [], waivers.NothingToWaive, "There is nothing to waive for no case."),
        ("reviews", ["feast", "gone"], waivers.NothingToWaive, "nothing to waive for gone."),
        ("cases", ["feast"], waivers.NotByCase, "cannot be waived for some cases alone"),
        ("nothing", ["feast"], waivers.NoSuchRule, "There is no rule “nothing”."),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_waived(
    release: Release,
    rule: str,
    cases: list[str],
    refusal: type[waivers.NothingToWaive],
    sentence: str,
) -> None:
    before = bed.everything()
    with pytest.raises(refusal, match=sentence):
        waive(release, rule, *cases)
    assert bed.everything() == before


def test_the_reasons_together_have_a_limit(release: Release) -> None:
    waive(release, "reviews", "feast", reason="a" * 400)
    before = bed.everything()
    with pytest.raises(NeedsReason, match="at most 500"):
        waive(release, "reviews", "ramp", reason="b" * 400)
    assert bed.everything() == before


# --- Page, script and command ---------------------------------------------------------------------


def test_the_page_offers_the_cases_folded_and_waives_those_that_are_ticked(
    manager: Client, release: Release
) -> None:
    page = manager.get(REVIEWS).content.decode()
    assert '<details class="bulk">' in page
    for key in ("feast", "ramp", "thrift"):
        assert f'name="case" value="{key}"' in page
    assert 'value="kids"' not in page
    sent = {"reason": "Time.", "case": ["feast", "ramp"]}
    assert "is waived for 2 cases." in words(manager.post(REVIEWS, sent, follow=True))
    assert release.waivers.get().covers == {"reviews": {"feast": 1, "ramp": 1}}
    page = manager.get(REVIEWS).content.decode()
    assert 'name="case"' not in page
    refused = manager.post(REVIEWS, {"reason": "Time.", "case": ["kids"]})
    assert refused.status_code == 409
    assert "There is nothing to waive for kids." in words(refused)


def test_on_which_cases_people_disagree_is_listed_to_who_has_opened_the_scores(
    manager: Client, release: Release, mina: User
) -> None:
    assert 'name="case"' not in manager.get(DISAGREEMENTS).content.decode()
    bed.look(release, mina)
    assert 'name="case" value="kids"' in manager.get(DISAGREEMENTS).content.decode()


def test_a_script_waives_some(release: Release, mina: User) -> None:
    script = Script(session=mina)
    body = {"rule": "reviews", "reason": "Time.", "cases": ["feast"]}
    answer = script.post("releases/wanderer-1/waive/", body)
    assert answer.json()["covers"] == {"reviews": {"feast": 1}}
    before = bed.everything()
    assert script.post("releases/wanderer-1/waive/", body).status_code == 200
    kind = script.post("releases/wanderer-1/waive/", body | {"rule": "cases"})
    assert code(kind) == (400, "not_by_case")
    for odd in ([], [""], "feast", [1], ["x" * 211]):
        refused = script.post("releases/wanderer-1/waive/", body | {"cases": odd})
        assert code(refused) == (400, "bad_body")
    assert bed.everything() == before


def test_a_command_waives_some(release: Release) -> None:
    more = {"reason": "Time.", "stdout": StringIO()}
    call_command("waive", "wanderer-1", "reviews", cases="feast, ramp", **more)
    assert release.waivers.get().covers == {"reviews": {"feast": 1, "ramp": 1}}
    with pytest.raises(CommandError, match="nothing to waive for kids"):
        call_command("waive", "wanderer-1", "reviews", cases="kids", **more)


def test_managers_find_the_page_beside_the_assignments(
    manager: Client, admin: Client, release: Release
) -> None:
    path = "/releases/wanderer-1/assignments/"
    assert "Waive missing reviews" in words(manager.get(path))
    assert "Waive missing reviews" not in words(admin.get(path))
