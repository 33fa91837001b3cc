"""Questions about the rubric, and the one answer that everybody reads."""

import re
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.desk.workflow import locked, require_open
from reviews.models import Question, Ruling
from reviews.models.questions import LONGEST_TEXT
from reviews.questions.queries import list_subjects
from reviews.workflow.refusals import Refused, require_reviewing


class NoSuchSubject(Refused):
    code = "no_such_subject"


class NeedsWords(Refused):
    code = "words_required"


class NamesTheCase(Refused):
    """A ruling is read by those who must not know where a case is from."""

    code = "names_the_case"


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
    if subject not in list_subjects(release.rubric.document):
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
    asked = Question.objects.select_related("release", "case").defer("case__data").get(pk=question)
    release = Release.objects.locked(asked.release)
    known = Ruling.objects.filter(question=asked).first()
    if known:
        if (known.text, known.by) == (text, user.get_username()):
            return known
        raise Answered(gettext("%(person)s has answered this already.") % {"person": known.by})
    require_no_names(text, asked)
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


def require_no_names(text: str, asked: Question) -> None:
    """Everybody reads a ruling, also those who do not know the release: it names neither."""
    names = (asked.case.code, asked.case.case_key, asked.release.name)
    named = [one for one in names if is_named(one, text)]
    if named:
        raise NamesTheCase(
            gettext(
                "Everybody reads the answer, so it names neither the case nor the release: leave "
                "out %(names)s."
            )
            % {"names": ", ".join(named)}
        )


def is_named(name: str, text: str) -> bool:
    """As a word of its own. A short number is none: "2" may be a release, or two hours."""
    if len(name) < 4 and name.isdigit():
        return False
    word = rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"
    return re.search(word, text, re.IGNORECASE) is not None


def require_words(text: str) -> str:
    text = "\n".join(" ".join(line.split()) for line in text.replace("\0", "").splitlines()).strip()
    if not text:
        raise NeedsWords(gettext("Write a sentence first."))
    if len(text) > LONGEST_TEXT:
        raise NeedsWords(
            gettext("This text has at most %(most)d characters.") % {"most": LONGEST_TEXT}
        )
    return text
