"""Who is told what would help most, and when."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client

from cases.models import Release
from reviews.adjudication.visibility import open_scores
from reviews.releases import lifecycle as releases_lifecycle
from reviews.report import would_help
from reviews.report.verdict.acts import weigh_acts
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW
from tests.people import AsUser

RELEASE = "/releases/wanderer-1/"
REPORT = f"{RELEASE}report/"
HELP = "What would help most"
VALUES = {"feast": (4, 4), "kids": (3, 4), "ramp": (4, 3), "rush": (4, 3), "thrift": (3, 4)}


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    """Five cases, both reviews in; the floors are between the limits."""
    release = bed.started()
    put(release, rita, omar)
    return bed.current(release)


def put(release: Release, rita: User, omar: User, **but: tuple[int, ...]) -> None:
    bed.put_judgements(
        release,
        {
            key: dict(zip((rita, omar), map(bed.judgement, values), strict=False))
            for key, values in {**VALUES, **but}.items()
        },
    )


def look(release: Release, user: User) -> None:
    open_scores(release=release, user=user, now=NOW)


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_the_report_and_the_release_page_say_the_same(
    manager: Client, mina: User, release: Release
) -> None:
    look(release, mina)
    found = would_help.load_for_page(bed.current(release), mina)
    assert found is not None
    assert found.first.startswith("What would help most: the next look, of 8 cases: ")
    for address in (REPORT, RELEASE):
        html = page(manager, address)
        assert found.first in html
        assert all(sentence in html for sentence in found.rest)


def test_without_a_first_look_the_release_page_says_nothing(
    manager: Client, release: Release
) -> None:
    assert HELP not in page(manager, RELEASE)


def test_a_person_who_still_judges_here_is_told_nothing(
    as_user: AsUser, ada: User, release: Release
) -> None:
    ada.groups.add(*User.objects.get(username="rita").groups.all())
    look(release, ada)
    bed.put_judgements(release, {})
    extra = release.cases.get(case_key="feast")
    release.reviews.create(
        case=extra, reviewer=ada, status="assigned", assigned_at=NOW, release=release
    )
    assert would_help.load_for_page(bed.current(release), ada) is None
    assert HELP not in page(as_user(ada), RELEASE)


def test_between_looks_nobody_is_told(manager: Client, mina: User, rita: User, omar: User) -> None:
    release = bed.started()
    put(release, rita, omar, feast=(4,))
    look(release, mina)
    assert HELP not in page(manager, RELEASE)
    assert HELP not in page(manager, REPORT)
    assert Script(session=mina).get(f"{RELEASE[1:]}verdict/").json()["would_help"] == []


def test_a_closed_release_needs_no_help(manager: Client, mina: User, release: Release) -> None:
    releases_lifecycle.close(release=release, user=None, now=NOW)
    assert HELP not in page(manager, REPORT)
    assert Script(session=mina).get(f"{RELEASE[1:]}verdict/").json()["would_help"] == []


def test_the_verdict_document_lists_each_act_with_its_chances(mina: User, release: Release) -> None:
    told = Script(session=mina).get(f"{RELEASE[1:]}verdict/").json()
    acts = told["would_help"]
    assert [act["act"] for act in acts] == ["next-look", "review-again"]
    assert acts[0]["size"] == 8
    assert list(acts[0]["chances"]) == ["NO-GO", "NOT ENOUGH EVIDENCE", "HOLD", "GO"]
    assert sum(acts[0]["chances"].values()) == pytest.approx(1.0, abs=0.001)


def test_chances_are_computed_once_for_each_event(
    mina: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches["reports"].clear()
    computed: list[str] = []

    def count(found: Any, judged: Any, seed: str) -> Any:
        computed.append(seed)
        return weigh_acts(found, judged, seed)

    monkeypatch.setattr(would_help, "weigh_acts", count)
    first = would_help.load_acts(bed.current(release))
    assert would_help.load_acts(bed.current(release)) == first
    look(release, mina)
    would_help.load_acts(bed.current(release))
    assert len(computed) == 2
    assert computed[0] != computed[1]


def test_the_draw_and_the_start_say_what_the_looks_can_earn(admin: Client) -> None:
    bed.drawn()
    for address in (f"{RELEASE}draws/1/", f"{RELEASE}start/"):
        html = page(admin, address)
        assert "With 5 cases a release of true mean 4.0 earns GO in " in html
        assert "with 8: " in html
        # There is no baseline, so nothing can be found to have dropped.
        assert "a drop of" not in html


def test_after_the_start_nothing_is_forecast(admin: Client) -> None:
    bed.started()
    assert "earns GO in" not in page(admin, f"{RELEASE}draws/1/")


def test_a_draft_with_a_baseline_says_what_it_would_find(admin: Client) -> None:
    before = bed.started("wanderer-0")
    release = bed.filled()
    Release.objects.filter(pk=release.pk).update(baseline=before)
    bed.draw(bed.current(release))
    html = page(admin, f"{RELEASE}start/")
    assert "a drop of 0.5 in a metric is found in " in html
    assert "(5 shared cases)" in html
