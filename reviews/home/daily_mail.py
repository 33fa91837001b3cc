"""One mail a day for each person: what waits, is due or late. No scores; reviewers stay blind."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db.models import Count, Prefetch, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from cases.models import Release
from cases.models.releases import Status
from evalsite.permissions import ROLE_OF, Role
from reviews.assignments.queries import Overview, is_past, load_overview
from reviews.assignments.reminder import describe_waiting
from reviews.models import Absence, Closing, Review, Reviewer

log = logging.getLogger("spotcheck.mail")


@dataclass(frozen=True)
class OpenWork:
    """Open reviews of one person in one release."""

    release: str
    due: date | None
    count: int


@dataclass(frozen=True)
class Sent:
    mailed: list[str]
    failed: list[str]


def send_digests(*, now: datetime) -> Sent:
    """Whoever has nothing waiting, is away today, or had the mail of today gets none."""
    today = timezone.localdate(now)
    work = open_work()
    running = [(one, load_overview(one, now=now)) for one in under_review()]
    unsigned = list(Closing.objects.unsigned().values_list("release__name", flat=True))
    mailed, failed = [], []
    for user in people_to_tell(today):
        roles = find_roles(user)
        with translation.override(choose_language(user)):
            lines = [
                *own_lines(work.get(user.pk, []), roles, today),
                *(running_lines(running) if Role.ADMIN in roles else ()),
                *(unsigned_lines(unsigned) if Role.MANAGER in roles else ()),
            ]
            if not lines or not claim(user, today):
                continue
            is_sent = mail(user, lines, link_for(roles))
        if is_sent:
            mailed.append(user.get_username())
        else:
            unclaim(user)
            failed.append(user.get_username())
    return Sent(mailed, failed)


# --- Who ------------------------------------------------------------------------------------------


def people_to_tell(today: date) -> QuerySet[User]:
    away_now = Absence.objects.filter(first_date__lte=today, last_date__gte=today)
    return (
        User.objects.filter(is_active=True)
        .exclude(email="")
        .exclude(reviewer__absences__in=away_now)
        .select_related("reviewer")
        .prefetch_related(Prefetch("groups"))
        .order_by("username")
    )


def find_roles(user: User) -> frozenset[Role]:
    """From the groups at hand: without a query for each."""
    roles = {ROLE_OF[one.name] for one in user.groups.all() if one.name in ROLE_OF}
    if user.is_superuser:
        roles |= {Role.ADMIN, Role.MANAGER}
    return frozenset(roles)


def choose_language(user: User) -> str:
    reviewer = getattr(user, "reviewer", None)
    return (reviewer.interface_language if reviewer else "") or settings.LANGUAGE_CODE


def claim(user: User, today: date) -> bool:
    """Whether the mail of today is ours to send: of two runs at once only one may."""
    if not hasattr(user, "reviewer"):
        Reviewer.objects.bulk_create([Reviewer(user=user)], ignore_conflicts=True)
    not_yet = Q(last_digest_date=None) | Q(last_digest_date__lt=today)
    own = Reviewer.objects.filter(not_yet, user=user)
    return bool(own.update(last_digest_date=today))


def unclaim(user: User) -> None:
    """So that the next run tries again."""
    Reviewer.objects.filter(user=user).update(last_digest_date=None)


# --- What -----------------------------------------------------------------------------------------


def open_work() -> dict[int, list[OpenWork]]:
    rows = (
        Review.objects.open()
        .filter(release__status=Status.REVIEWING, case__sampled__withdrawn_at=None)
        .order_by("release__name")
        .values_list("reviewer", "release__name", "release__due_date")
        .annotate(count=Count("pk"))
    )
    found: dict[int, list[OpenWork]] = {}
    for user, release, due, count in rows:
        found.setdefault(user, []).append(OpenWork(release, due, count))
    return found


def under_review() -> QuerySet[Release]:
    running = Release.objects.filter(status=Status.REVIEWING, archived_at=None)
    return (
        running.select_related("rubric").prefetch_related("rubric__translations").order_by("name")
    )


def own_lines(work: list[OpenWork], roles: frozenset[Role], today: date) -> Iterator[str]:
    if not work or Role.REVIEWER not in roles:
        return
    yield describe_waiting(sum(one.count for one in work))
    knows_releases = bool(roles & {Role.ADMIN, Role.MANAGER})
    told: dict[tuple[str, date | None], int] = {}
    for one in work:
        key = (one.release if knows_releases else "", one.due)
        told[key] = told.get(key, 0) + one.count
    for (release, due), count in sorted(told.items(), key=lambda one: soonest_first(*one[0])):
        words = due_line(count, due, today)
        yield "- " + (f"{release}: {words}" if release else words)


def soonest_first(release: str, due: date | None) -> tuple[date, str]:
    return due or date.max, release


def due_line(count: int, due: date | None, today: date) -> str:
    words = {"count": count, "date": date_format(due) if due else ""}
    if due is None:
        return gettext("%(count)d without a due date") % words
    if is_past(due, today):
        return gettext("%(count)d late, due %(date)s") % words
    if due == today:
        return gettext("%(count)d due today") % words
    return gettext("%(count)d due %(date)s") % words


def running_lines(running: list[tuple[Release, Overview]]) -> Iterator[str]:
    for release, overview in running:
        words = list(list_needs(overview))
        if words:
            yield f"{release.name}: " + gettext("; ").join(words)


def list_needs(overview: Overview) -> Iterator[str]:
    lacking = len(overview.lacking)
    if lacking:
        yield ngettext(
            "%(count)d case lacks reviewers", "%(count)d cases lack reviewers", lacking
        ) % {"count": lacking}
    late = sum(one.late for one in overview.late)
    if late:
        yield ngettext("%(count)d review is late", "%(count)d reviews are late", late) % {
            "count": late
        }
    left = sum(one.open for one in overview.gone)
    if left:
        yield ngettext(
            "%(count)d open review of somebody who cannot review any more",
            "%(count)d open reviews of people who cannot review any more",
            left,
        ) % {"count": left}


def unsigned_lines(names: list[str]) -> Iterator[str]:
    for name in names:
        yield gettext("%(release)s is closed and waits for a decision.") % {"release": name}


# --- The mail -------------------------------------------------------------------------------------


def link_for(roles: frozenset[Role]) -> str:
    if not settings.SITE_URL:
        return ""
    is_only_reviewer = not roles & {Role.ADMIN, Role.MANAGER}
    return str(settings.SITE_URL) + reverse("my-reviews" if is_only_reviewer else "home")


def mail(user: User, lines: list[str], link: str) -> bool:
    context = {"person": user, "lines": lines, "link": link}
    body = render_to_string("reviews/home/digest_mail.txt", context).strip() + "\n"
    try:
        send_mail(gettext("Waiting for you in Spotcheck"), body, None, [user.email])
    except (OSError, SMTPException):
        log.exception("A daily mail could not be sent")
        return False
    return True
