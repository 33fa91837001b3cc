"""Remind reviewers of their open reviews, by mail or with a text that an admin copies and sends.

Reviewers are blind, so a reminder names no release and no case.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Release
from cases.models.releases import is_past
from evalsite.mail import Mailed, mail
from reviews.assignments.inputs import active_reviewers
from reviews.assignments.workflow import NotAReviewer, build_nothing_open
from reviews.errors import Missing, Refused, require_reviewing
from reviews.models import Pairing, Reminder, Review


class AlreadyReminded(Refused):
    """The person was reminded today because of another release."""

    code = "already_reminded"


@dataclass(frozen=True)
class OpenCount:
    """What a person has open: reviews, and pairs to read side by side."""

    reviews: int
    pairs: int

    @property
    def total(self) -> int:
        return self.reviews + self.pairs


@dataclass(frozen=True)
class Message:
    language: str
    language_name: str
    text: str


@dataclass(frozen=True)
class Reminded:
    """A reminder and its text, in the language of the person. `mailed`: whether it was mailed."""

    reminder: Reminder
    mailed: Mailed
    text: str


def remind(
    *, release: Release, username: str, link: str, user: User | None, now: datetime
) -> Reminded:
    """Remind a reviewer of the open reviews and pairs of a release. `link` leads to their reviews.

    Repeating it on the same day changes nothing and sends nothing.
    """
    reminder, waiting, is_new = record_reminder(
        release=release, username=username, user=user, now=now
    )
    person = reminder.reviewer
    [message, *_others] = build_messages(
        person, waiting, due=release.due_date, today=timezone.localdate(now), link=link
    )
    mailed = Mailed.YES if reminder.is_mailed else Mailed.NO
    if is_new:
        # After the transaction: the release is not locked while a mail server answers.
        with translation.override(message.language):
            subject = gettext("Waiting for you in Spotcheck")
        mailed = mail(person, subject=subject, body=f"{message.text}\n")
        Reminder.objects.filter(pk=reminder.pk).update(is_mailed=mailed == Mailed.YES)
    return Reminded(reminder, mailed, message.text)


@transaction.atomic
def record_reminder(
    *, release: Release, username: str, user: User | None, now: datetime
) -> tuple[Reminder, OpenCount, bool]:
    """Record the reminder of today; return it with what is open and whether it is new."""
    release = Release.objects.locked(release)
    require_reviewing(release)
    person = active_reviewers().filter(username=username).select_related("reviewer").first()
    if person is None:
        sentence = gettext("%(person)s is not an active reviewer.") % {"person": username}
        raise NotAReviewer(Missing("reviewer", sentence))
    waiting = OpenCount(
        Review.objects.of(release).by(person).open().standing().count(),
        Pairing.objects.of(release).by(person).open().standing().count(),
    )
    if not waiting.total:
        raise build_nothing_open(username)
    by = user.get_username() if user else ""
    reminder, is_new = Reminder.objects.get_or_create(
        reviewer=person,
        sent_date=timezone.localdate(now),
        defaults={"release": release, "by": by, "sent_at": now},
    )
    reminder.reviewer = person
    if is_new:
        data: dict[str, object] = {"reviewer": username, "reviews": waiting.reviews}
        if waiting.pairs:
            data["pairings"] = waiting.pairs
        ledger.append(release=release, kind="reviewer-reminded", data=data, user=user, now=now)
    elif reminder.release_id != release.pk:
        sentence = gettext("%(person)s was reminded today already; one reminder a day is enough.")
        raise AlreadyReminded(sentence % {"person": username})
    return reminder, waiting, is_new


# --- The text -------------------------------------------------------------------------------------


def build_messages(
    person: User, waiting: OpenCount, *, due: date | None, today: date, link: str
) -> list[Message]:
    """Write the reminder in every interface language, the person's own first."""
    reviewer = getattr(person, "reviewer", None)
    own = reviewer.interface_language if reviewer else ""
    languages = sorted(settings.LANGUAGES, key=lambda language: language[0] != own)
    name = person.first_name or person.get_username()
    return [
        Message(code, str(label), write_text(code, name, waiting, due=due, today=today, link=link))
        for code, label in languages
    ]


def write_text(
    language: str, name: str, waiting: OpenCount, *, due: date | None, today: date, link: str
) -> str:
    with translation.override(language):
        hello = gettext("Hello %(name)s,") % {"name": name}
        lines = [hello, *describe_waiting(waiting.reviews, waiting.pairs)]
        if due is not None:
            lines.append(describe_due_date(due, today))
        return "\n".join([*lines, link])


def describe_waiting(reviews: int, pairs: int) -> Iterator[str]:
    if reviews:
        yield ngettext(
            "%(count)d review is waiting for you in Spotcheck.",
            "%(count)d reviews are waiting for you in Spotcheck.",
            reviews,
        ) % {"count": reviews}
    if pairs:
        yield ngettext(
            "%(count)d pair of plans is waiting for you in Spotcheck.",
            "%(count)d pairs of plans are waiting for you in Spotcheck.",
            pairs,
        ) % {"count": pairs}


def describe_due_date(due: date, today: date) -> str:
    words = {"date": date_format(due)}
    if is_past(due, today):
        return gettext("The due date was %(date)s.") % words
    if due == today:
        return gettext("The due date is today, %(date)s.") % words
    return gettext("The due date is %(date)s.") % words
