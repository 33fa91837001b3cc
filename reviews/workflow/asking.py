"""Questions about the rubric, and the one answer that everybody reads."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.models import Question, Ruling
from reviews.models.questions import LONGEST_TEXT
from reviews.rulings import subjects_of
from reviews.workflow.refusals import Refused, require_reviewing
from reviews.workflow.reviewing import locked, require_open


class NoSuchSubject(Refused):
    code = "no_such_subject"


class NeedsWords(Refused):
    code = "words_required"


class Answered(Refused):
    """A ruling is given once."""

    code = "answered_already"


@transaction.atomic
def ask(*, review: int, user: User, subject: str, text: str, now: datetime) -> Question:
    """About a checklist item (`metric.2`) or a level (`metric:4`). The same again is once."""
    text = require_words(text)
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    if subject not in subjects_of(release.rubric.document):
        raise NoSuchSubject(gettext("The rubric has no such question or level."))
    question, is_new = Question.objects.get_or_create(
        release=release,
        case=mine.case,
        asked_by=user,
        subject=subject,
        text=text,
        defaults={"asked_at": now},
    )
    if is_new:
        data = {"case": mine.case.case_key, "subject": subject}
        ledger.append(release=release, kind="question-asked", data=data, user=user, now=now)
    return question


@transaction.atomic
def answer(*, question: int, text: str, user: User, now: datetime) -> Ruling:
    """For all reviewers of the rubric version, without the case. Also after the closing."""
    text = require_words(text)
    asked = Question.objects.select_related("release").get(pk=question)
    release = Release.objects.locked(asked.release)
    known = Ruling.objects.filter(question=asked).first()
    if known:
        if (known.text, known.by) == (text, user.get_username()):
            return known
        raise Answered(gettext("%(person)s has answered this already.") % {"person": known.by})
    ruling = Ruling.objects.create(
        rubric=release.rubric,
        question=asked,
        subject=asked.subject,
        text=text,
        by=user.get_username(),
        given_at=now,
    )
    data = {"rubric": release.rubric.number, "subject": asked.subject, "text": text}
    ledger.append(release=release, kind="ruling-given", data=data, user=user, now=now)
    return ruling


def require_words(text: str) -> str:
    text = "\n".join(" ".join(line.split()) for line in text.replace("\0", "").splitlines()).strip()
    if not text:
        raise NeedsWords(gettext("Write a sentence first."))
    if len(text) > LONGEST_TEXT:
        raise NeedsWords(
            gettext("This text has at most %(most)d characters.") % {"most": LONGEST_TEXT}
        )
    return text
