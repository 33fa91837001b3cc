"""Ask questions about the rubric, and answer each once for all reviewers."""

import re
from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.desk.workflow import locked, require_open
from reviews.errors import Refused, require_reviewing
from reviews.models import Question, Ruling
from reviews.models.questions import LONGEST_TEXT
from reviews.questions.queries import list_subjects


class NoSuchSubject(Refused):
    """The rubric has no such checklist item or level."""

    code = "no_such_subject"
    status = 400


class NeedsWords(Refused):
    """The text is empty or too long."""

    code = "words_required"
    status = 400


class NamesTheCase(Refused):
    """The ruling names a case or a release. Reviewers must not learn where a case comes from."""

    code = "names_the_case"


class Answered(Refused):
    """The question already has a ruling."""

    code = "answered_already"


@transaction.atomic
def ask(*, review: int, user: User, subject: str, text: str, now: datetime) -> Question:
    """Ask about a checklist item (`metric.2`) or a level (`metric:4`).

    The same question again changes nothing.
    """
    text = require_words(text)
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    if subject not in list_subjects(release.rubric.document):
        raise NoSuchSubject(
            gettext("The rubric has no such question or level. Choose one from the list.")
        )
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
    """Answer a question with a ruling on the rubric version. Works after closing too."""
    text = require_words(text)
    asked = Question.objects.select_related("release", "case").defer("case__data").get(pk=question)
    release = Release.objects.locked(asked.release)
    known = Ruling.objects.filter(question=asked).first()
    if known:
        if (known.text, known.by) == (text, user.get_username()):
            return known
        raise Answered(
            gettext("%(person)s has already answered this question.") % {"person": known.by}
        )
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


def note_read(*, questions: Collection[int], user: User, now: datetime) -> None:
    """Note that the person has seen the answers to these questions of theirs."""
    own = Question.objects.by(user).filter(pk__in=questions, answer_read_at=None)
    own.update(answer_read_at=now)


def require_no_names(text: str, asked: Question) -> None:
    """Refuse a text that names the case or the release: people who must not know them read it."""
    names = (asked.case.code, asked.case.case_key, asked.release.name)
    named = [name for name in names if is_named(name, text)]
    if named:
        raise NamesTheCase(
            gettext(
                "Everyone reads the answer, so it must not name the case or the release. Remove "
                "%(names)s."
            )
            % {"names": ", ".join(named)}
        )


def is_named(name: str, text: str) -> bool:
    """Return whether the text has the name as a word. Ignores short numbers: "2" may be 2 hours."""
    if len(name) < 4 and name.isdigit():
        return False
    word = rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"
    return re.search(word, text, re.IGNORECASE) is not None


def require_words(text: str) -> str:
    text = "\n".join(" ".join(line.split()) for line in text.replace("\0", "").splitlines()).strip()
    if not text:
        raise NeedsWords(gettext("Write some text first."))
    if len(text) > LONGEST_TEXT:
        raise NeedsWords(
            gettext("This text can have at most %(most)d characters.") % {"most": LONGEST_TEXT}
        )
    return text
