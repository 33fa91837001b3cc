"""Homes as the people of a team meet them: accessible in every state, and few clicks to the end."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django.fixtures import Settings

from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.desk import workflow as desk_workflow
from reviews.models import Reminder, Review
from reviews.releases import lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import UNFOLD, overflow
from tests.people import make_person

pytestmark = ON_A_LIVE_SERVER

LONG_NAME = "n" * 150


def make_late(release: Release) -> Release:
    return bed.make_due(release, timezone.localdate() - timedelta(days=7))


def make_examples(rita: User, omar: User) -> None:
    """A release in each state, and names as long as they may be."""
    long = make_person(LONG_NAME, Role.REVIEWER)
    make_release("empty-" + "x" * 74)
    bed.drawn("drawn")
    bed.filled("filled")
    late = make_late(bed.started("late", k=2))
    for key in ("feast", "kids"):
        bed.assign(late, key, long)
        bed.assign(late, key, rita)
    bed.ask(late, "feast", rita)
    own = Review.objects.get(release=late, case__case_key="kids", reviewer=rita)
    desk_workflow.decline(review=own.pk, user=rita, cause="broken", reason="Cut off.", now=NOW)
    apart = bed.started("apart", k=2)
    bed.review(apart, "feast", rita, 5)
    bed.review(apart, "feast", omar, 1)
    bed.flag(apart, "kids", rita)
    bed.review_all(bed.started("complete", k=1), omar)
    closed = bed.started("closed", k=1)
    bed.put_reviews(closed, omar)
    lifecycle.close(release=closed, user=None, now=NOW)


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [
        ("desk", "light", "en"),
        ("desk", "dark", "zh-hans"),
        ("phone", "dark", "en"),
        ("phone", "light", "zh-hans"),
    ],
)
@pytest.mark.parametrize("is_full", [True, False], ids=["full", "empty"])
def test_every_home_is_accessible_and_whole(
    browse: SignIn,
    axe: Axe,
    ada: User,
    mina: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
    is_full: bool,
) -> None:
    if is_full:
        make_examples(rita, omar)
    wrong = []
    for user in (ada, mina, rita):
        page = browse(user, size=size, scheme=scheme, language=language)
        page.goto("/")
        wrong += [f"{user}: {what}" for what in violations(axe, page)]
        page.evaluate(UNFOLD)
        wrong += [f"{user}: {what}" for what in overflow(page)]
    assert wrong == []


# --- Clicks ---------------------------------------------------------------------------------------


@dataclass
class Clicks:
    """Clicks on a page, and counts."""

    page: Page
    count: int = 0

    def on(self, target: str) -> None:
        self.count += 1
        follow(self.page, target)


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_manager_closes_a_complete_release_in_two_clicks_from_the_home(
    browse: SignIn, mina: User, rita: User, rubric: Rubric, size: str
) -> None:
    release = bed.at_last_look(bed.started("planner", k=1))
    bed.review_all(release, rita, but=["feast"])
    own = bed.assign(release, "feast", rita)
    page = browse(mina, size=size)
    page.goto("/")
    assert "Ready to close" not in page.inner_text("main")
    bed.submit(own)
    page.goto("/")
    clicks = Clicks(page)
    assert "Ready to close" in page.inner_text("main")
    clicks.on(".to-do a.button:has-text('Close')")
    clicks.on("main form button.primary, main form button.danger")
    assert Release.objects.get(pk=release.pk).is_closed
    assert clicks.count == 2
    print(f"a complete release, closed by a manager on a {size}: 2 clicks from the home")


@pytest.mark.parametrize("with_mail", [True, False], ids=["by mail", "by copying"])
def test_an_admin_reminds_and_reassigns_a_late_reviewer_in_four_clicks_from_the_home(
    browse: SignIn,
    ada: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    settings: Settings,
    mailoutbox: list[EmailMessage],
    with_mail: bool,
) -> None:
    settings.MAIL_IS_CONFIGURED = with_mail
    release = make_late(bed.started("planner", k=1))
    for key in bed.sampled(release):
        bed.assign(release, key, rita if key in ("feast", "kids", "ramp") else omar)
    bed.submit(Review.objects.get(case__case_key="rush"))
    bed.submit(Review.objects.get(case__case_key="thrift"))
    page = browse(ada)
    page.goto("/")
    clicks = Clicks(page)
    assert "rita: 3 reviews late since" in page.inner_text(".to-do li")
    clicks.on(".to-do a.button")
    clicks.on("main button.primary")
    assert Reminder.objects.get().reviewer == rita
    assert len(mailoutbox) == with_mail
    clicks.on("a:has-text('Reassign')")
    clicks.on("main form button.primary")
    assert set(Review.objects.open().values_list("reviewer__username", flat=True)) == {"omar"}
    assert clicks.count == 4
    way = "by mail" if with_mail else "by copying"
    print(f"a late reviewer, found, reminded {way} and handed on: 4 clicks from the home")
