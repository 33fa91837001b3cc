"""Write reminders that an admin copies and sends to a reviewer.

Reviewers are blind, so a reminder names no release and no case.
"""

from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from reviews.assignments.queries import PersonRow, is_past


@dataclass(frozen=True)
class Message:
    language: str
    language_name: str
    text: str


def build_messages(person: PersonRow, *, due: date | None, today: date, link: str) -> list[Message]:
    """Write the reminder in every interface language, the person's own first."""
    reviewer = getattr(person.user, "reviewer", None)
    own = reviewer.interface_language if reviewer else ""
    languages = sorted(settings.LANGUAGES, key=lambda language: language[0] != own)
    name = person.user.first_name or person.user.get_username()
    return [
        Message(
            code, str(label), write_text(code, name, person.open, due=due, today=today, link=link)
        )
        for code, label in languages
    ]


def write_text(
    language: str, name: str, count: int, *, due: date | None, today: date, link: str
) -> str:
    with translation.override(language):
        lines = [gettext("Hello %(name)s,") % {"name": name}, describe_waiting(count)]
        if due is not None:
            lines.append(describe_due_date(due, today))
        return "\n".join([*lines, link])


def describe_waiting(count: int) -> str:
    return ngettext(
        "%(count)d review is waiting for you in Spotcheck.",
        "%(count)d reviews are waiting for you in Spotcheck.",
        count,
    ) % {"count": count}


def describe_due_date(due: date, today: date) -> str:
    words = {"date": date_format(due)}
    if is_past(due, today):
        return gettext("The due date was %(date)s.") % words
    if due == today:
        return gettext("The due date is today, %(date)s.") % words
    return gettext("The due date is %(date)s.") % words
