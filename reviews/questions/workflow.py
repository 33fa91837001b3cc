"""Ask questions about the rubric, and answer them for all reviewers. Answers are superseded, never
changed."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.desk.workflow import locked, require_open
from reviews.errors import Missing, Refused, require_reviewing
from reviews.models import Question, Ruling
from reviews.models.questions import LONGEST_TEXT
from reviews.questions.names import find_in_question, find_in_ruling
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
    """A text names a person, a case or a release, which others must not learn from it."""

    code = "names_the_case"


class Answered(Refused):
    """The question already has a ruling."""

    code = "answered_already"


class NoSuchRuling(Refused):
    """The question has no ruling of this number."""

    code = "no_such_ruling"
    status = 400


class Superseded(Refused):
    """Another ruling has superseded this one."""

    code = "superseded_already"


class SaysTheSame(Refused):
    """The new ruling has the words of the one in force."""

    code = "says_the_same"


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
    named = find_in_question(text, release)
    if named:
        raise NamesTheCase(
            gettext(
                "Ask about the rubric without naming a case or a person; admins see the case "
                "beside your question. Remove %(names)s."
            )
            % {"names": ", ".join(named)}
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
def answer(
    *,
    question: int,
    text: str,
    look_again: bool = False,
    supersedes: int | None = None,
    user: User,
    now: datetime,
) -> Ruling:
    """Answer a question with a ruling on the rubric version. Works after closing too.

    `supersedes` is the number of the ruling in force, if there is one. `look_again` asks reviewers
    to look at what they have judged before. Repeating it changes nothing.
    """
    text = require_words(text)
    asked = Question.objects.select_related("release", "case").defer("case__data").get(pk=question)
    release = Release.objects.locked(asked.release)
    given = {ruling.number: ruling for ruling in asked.rulings.order_by("number")}
    last = given[max(given)] if given else None
    number = 1 if supersedes is None else supersedes + 1
    known = given.get(number)
    if known and is_same(known, text=text, look_again=look_again, user=user):
        return known
    require_in_force(last, supersedes)
    if last and last.text == text and (last.look_again or not look_again):
        raise SaysTheSame(gettext("The ruling in force says the same. Change the words."))
    require_no_names(text, asked)
    ruling = Ruling.objects.create(
        rubric=release.rubric,
        question=asked,
        number=number,
        supersedes=last,
        subject=asked.subject,
        text=text,
        by=user.get_username(),
        given_at=now,
        look_again=look_again,
    )
    data = {
        "rubric": release.rubric.number,
        "subject": asked.subject,
        "text": text,
        **({"supersedes": last.text} if last else {}),
        **({"look_again": True} if look_again else {}),
    }
    if last:
        Question.objects.filter(pk=asked.pk).update(answer_read_at=None)
    kind = "ruling-superseded" if last else "ruling-given"
    ledger.append(release=release, kind=kind, data=data, user=user, now=now)
    return ruling


def is_same(known: Ruling, *, text: str, look_again: bool, user: User) -> bool:
    """Return whether this ruling was given before, by the same person."""
    sent = (text, look_again, user.get_username())
    return (known.text, known.look_again, known.by) == sent


def require_in_force(last: Ruling | None, supersedes: int | None) -> None:
    """Refuse to answer twice, and to supersede any ruling but the last."""
    if last is None and supersedes is None:
        return
    if supersedes is None and last:
        raise Answered(
            gettext("%(person)s has already answered this question.") % {"person": last.by}
        )
    if last is None or not 1 <= (supersedes or 0) <= last.number:
        raise NoSuchRuling(Missing("supersedes", gettext("The question has no such ruling.")))
    if supersedes != last.number:
        raise Superseded(
            gettext("%(person)s has superseded this ruling. Read the new one first.")
            % {"person": last.by}
        )


def note_read(*, questions: Collection[int], user: User, now: datetime) -> None:
    """Note that the person has seen the answers to these questions of theirs."""
    own = Question.objects.by(user).filter(pk__in=questions, answer_read_at=None)
    own.update(answer_read_at=now)


def require_no_names(text: str, asked: Question) -> None:
    """Refuse a text that names a person, a case or the release: everyone reads it."""
    named = find_in_ruling(text, asked.release, asked.case)
    if named:
        raise NamesTheCase(
            gettext(
                "Everyone reads the answer, so it must not name a person, a case or the release. "
                "Remove %(names)s."
            )
            % {"names": ", ".join(named)}
        )


def require_words(text: str) -> str:
    text = "\n".join(" ".join(line.split()) for line in text.replace("\0", "").splitlines()).strip()
    if not text:
        raise NeedsWords(gettext("Write some text first."))
    if len(text) > LONGEST_TEXT:
        raise NeedsWords(
            gettext("This text can have at most %(most)d characters.") % {"most": LONGEST_TEXT}
        )
    return text
