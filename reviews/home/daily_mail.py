"""Send each person one mail a day about open, due and late work, and what else waits for them.

It contains no scores; managers read the word of a release that needs their decision, without its
conditions, which can hold figures."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from cases.models.releases import Status, is_past
from evalsite.mail import Mailed, mail
from evalsite.permissions import ROLE_OF, Role
from reviews.assignments.reminder import describe_waiting
from reviews.home.queries import load_waiting
from reviews.home.tasks import Task, TaskKind, list_tasks
from reviews.models import Absence, Closing, Pairing, Review, Reviewer


@dataclass(frozen=True)
class OpenWork:
    """Open reviews and pairings of one person in one release; `pairs` of the count are pairings."""

    release: str
    due: date | None
    count: int
    pairs: int = 0


@dataclass(frozen=True)
class SendResult:
    """User names of those who got a mail, and of those whose mail could not be sent."""

    mailed: list[str]
    failed: list[str]


def send_digests(*, now: datetime) -> SendResult:
    """Send today's mails, except to people with nothing to do, away today or already mailed."""
    today = timezone.localdate(now)
    work = load_open_work()
    mailed, failed = [], []
    for user in select_recipients(today):
        roles = find_roles(user)
        with translation.override(choose_language(user)):
            lines = [
                *list_own_work(work.get(user.pk, []), roles, today),
                *list_tasks_of_team(user, roles, today),
            ]
            if not lines or not claim(user, today):
                continue
            is_sent = send(user, lines, choose_link(roles))
        if is_sent:
            mailed.append(user.get_username())
        else:
            unclaim(user)
            failed.append(user.get_username())
    return SendResult(mailed, failed)


# --- Recipients -----------------------------------------------------------------------------------


def select_recipients(today: date) -> QuerySet[User]:
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
    """Read the roles from the prefetched groups, without a query."""
    roles = {ROLE_OF[group.name] for group in user.groups.all() if group.name in ROLE_OF}
    if user.is_superuser:
        roles |= {Role.ADMIN, Role.MANAGER}
    return frozenset(roles)


def choose_language(user: User) -> str:
    reviewer = getattr(user, "reviewer", None)
    return (reviewer.interface_language if reviewer else "") or settings.LANGUAGE_CODE


def claim(user: User, today: date) -> bool:
    """Claim today's mail of a person. Of two runs at the same time, only one gets True."""
    if not hasattr(user, "reviewer"):
        row = Reviewer(user=user, **Reviewer.without_limits())
        Reviewer.objects.bulk_create([row], ignore_conflicts=True)
    not_yet = Q(last_digest_date=None) | Q(last_digest_date__lt=today)
    own = Reviewer.objects.filter(not_yet, user=user)
    return bool(own.update(last_digest_date=today))


def unclaim(user: User) -> None:
    """Release the claim, so that the next run tries again."""
    Reviewer.objects.filter(user=user).update(last_digest_date=None)


# --- Content --------------------------------------------------------------------------------------


def load_open_work() -> dict[int, list[OpenWork]]:
    rows = (
        Review.objects.open()
        .filter(release__status=Status.REVIEWING, case__sampled__withdrawn_at=None)
        .order_by("release__name")
        .values_list("reviewer", "release__name", "release__due_date")
        .annotate(count=Count("pk"))
    )
    pairings = (
        Pairing.objects.open()
        .standing()
        .order_by("release__name")
        .values_list("reader", "release__name", "release__due_date")
        .annotate(count=Count("pk"))
    )
    work: dict[int, list[OpenWork]] = {}
    for user, release, due, count in rows:
        work.setdefault(user, []).append(OpenWork(release, due, count))
    for user, release, due, count in pairings:
        work.setdefault(user, []).append(OpenWork(release, due, count, pairs=count))
    return work


def list_own_work(work: list[OpenWork], roles: frozenset[Role], today: date) -> Iterator[str]:
    if not work or Role.REVIEWER not in roles:
        return
    pairs = sum(part.pairs for part in work)
    yield from describe_waiting(sum(part.count for part in work) - pairs, pairs)
    knows_releases = bool(roles & {Role.ADMIN, Role.MANAGER})
    counts: dict[tuple[str, date | None], int] = {}
    for part in work:
        key = (part.release if knows_releases else "", part.due)
        counts[key] = counts.get(key, 0) + part.count
    for (release, due), count in sorted(counts.items(), key=lambda item: sort_key(*item[0])):
        words = describe_due(count, due, today)
        yield "- " + (f"{release}: {words}" if release else words)


def sort_key(release: str, due: date | None) -> tuple[date, str]:
    return due or date.max, release


def describe_due(count: int, due: date | None, today: date) -> str:
    words = {"count": count, "date": date_format(due) if due else ""}
    if due is None:
        return gettext("%(count)d without a due date") % words
    if is_past(due, today):
        return gettext("%(count)d late, due %(date)s") % words
    if due == today:
        return gettext("%(count)d due today") % words
    return gettext("%(count)d due %(date)s") % words


def list_tasks_of_team(user: User, roles: frozenset[Role], today: date) -> Iterator[str]:
    """List the tasks of an admin or a manager: a line for each release, and the questions.

    Drafts are left out: nobody waits for them.
    """
    if not roles & {Role.ADMIN, Role.MANAGER}:
        return
    tasks = list_tasks(load_waiting(user, roles, today), roles=roles, today=today)
    words: dict[str, list[str]] = {}
    for (release, kind, is_of_pairs), count in count_tasks(tasks).items():
        sentence = describe_pairs(kind, count) if is_of_pairs else describe_task(kind, count)
        if sentence:
            words.setdefault(release, []).append(sentence)
    for release, sentences in words.items():
        line = gettext("; ").join(sentences)
        yield f"{release}: {line}" if release else line
    yield from (describe_closing(task.closing) for task in tasks if task.closing)


def count_tasks(tasks: Iterable[Task]) -> Counter[tuple[str, TaskKind, bool]]:
    """Add up the tasks of a kind in a release, of pairs apart; in a draft there are none."""
    counts = Counter[tuple[str, TaskKind, bool]]()
    for task in tasks:
        if task.release is None or task.release.is_reviewing:
            release = task.release.name if task.release else ""
            counts[release, task.kind, task.is_of_pairs] += task.count
    return counts


def describe_task(kind: TaskKind, count: int) -> str:
    """Describe what waits, without a figure that depends on scores; empty if mails leave it out."""
    sentences = {
        TaskKind.LATE: describe_late(count),
        TaskKind.BEHIND: describe_late(count),
        TaskKind.GONE: ngettext(
            "%(count)d open review of a person who can no longer review",
            "%(count)d open reviews of people who can no longer review",
            count,
        ),
        TaskKind.DECLINED: ngettext(
            "%(count)d case cannot be judged, says its reviewer",
            "%(count)d cases cannot be judged, say their reviewers",
            count,
        ),
        TaskKind.QUESTIONS: ngettext(
            "%(count)d question about the rubric to answer",
            "%(count)d questions about the rubric to answer",
            count,
        ),
        TaskKind.FLAGS: gettext("a flag is to be judged"),
        TaskKind.BROKEN: gettext("a broken case is to be withdrawn"),
        TaskKind.WAIVE: gettext("the sample is not complete"),
        TaskKind.COMPLETE: gettext("the sample is not complete"),
        TaskKind.ASSIGN: ngettext(
            "%(count)d case needs reviewers", "%(count)d cases need reviewers", count
        ),
        TaskKind.PAIRS: gettext("pairs can be planned"),
        TaskKind.SETTLE: gettext("reviewers disagree"),
        TaskKind.CLOSE: gettext("ready to close"),
        TaskKind.LOOK: gettext("ready for the next look"),
    }
    sentence = sentences.get(kind, "")
    return sentence % {"count": count} if "%" in sentence else sentence


def describe_pairs(kind: TaskKind, count: int) -> str:
    if kind == TaskKind.GONE:
        words = ngettext(
            "%(count)d open pair of a person who can no longer review",
            "%(count)d open pairs of people who can no longer review",
            count,
        )
    else:
        words = ngettext("%(count)d pair is late", "%(count)d pairs are late", count)
    return words % {"count": count}


def describe_late(count: int) -> str:
    return ngettext("%(count)d review is late", "%(count)d reviews are late", count)


def describe_closing(closing: Closing) -> str:
    return gettext("%(release)s is closed and needs a decision: %(word)s.") % {
        "release": closing.release.name,
        "word": closing.word.label if closing.word else "–",
    }


# --- The mail -------------------------------------------------------------------------------------


def choose_link(roles: frozenset[Role]) -> str:
    if not settings.SITE_URL:
        return ""
    is_only_reviewer = not roles & {Role.ADMIN, Role.MANAGER}
    return str(settings.SITE_URL) + reverse("my-reviews" if is_only_reviewer else "home")


def send(user: User, lines: list[str], link: str) -> bool:
    context = {"person": user, "lines": lines, "link": link}
    body = render_to_string("reviews/home/digest_mail.txt", context).strip() + "\n"
    return mail(user, subject=gettext("Waiting for you in Spotcheck"), body=body) == Mailed.YES
