"""Publish rubric documents as numbered, immutable versions; the same content only once."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext

from cases import rubric
from cases.models import Rubric, RubricTranslation

SHIPPED = Path(__file__).parent


@dataclass(frozen=True)
class Published:
    version: Rubric
    language: str
    is_new: bool
    warnings: tuple[rubric.RubricProblem, ...] = ()


class OtherTextExists(Exception):
    """The version already has another text in this language, and published texts never change."""

    def __init__(self, number: int, language: str) -> None:
        self.number = number
        self.language = language

    def __str__(self) -> str:
        return gettext(
            "Version %(number)d already has another text in %(language)s, and published texts do "
            "not change. Publish a new version and translate that one."
        ) % {"number": self.number, "language": dict(settings.LANGUAGES)[self.language]}


def publish(
    *, text: str, language: str | None = None, user: User | None, now: datetime
) -> Published:
    """Publish a document as the next version, or find the version with the same content.

    Raises rubric.RubricError. If two people publish at the same moment, the one who finds the
    number taken tries again with the next.
    """
    reading = rubric.read(text)
    digest = rubric.digest(reading.document)
    while True:
        same = Rubric.objects.filter(digest=digest).first()
        if same:
            return Published(same, same.language, is_new=False, warnings=reading.warnings)
        newest = Rubric.objects.aggregate(number=models.Max("number"))["number"] or 0
        try:
            with transaction.atomic():
                created = Rubric.objects.create(
                    number=newest + 1,
                    language=language or rubric.detect_language(text),
                    text=text,
                    digest=digest,
                    data=rubric.to_data(reading.document),
                    published_by=user,
                    published_at=now,
                )
        except IntegrityError:
            if not Rubric.objects.filter(models.Q(digest=digest) | models.Q(number__gt=newest)):
                raise
            continue
        return Published(created, created.language, is_new=True, warnings=reading.warnings)


def translate(
    *, original: Rubric, text: str, language: str, user: User | None, now: datetime
) -> Published:
    """Give a published version its text in a second language.

    Raises rubric.RubricError, and OtherTextExists.
    """
    reading = rubric.translated(original.document, text)
    digest = rubric.digest(reading.document)
    if language == original.language:
        raise OtherTextExists(original.number, language)
    translation, is_new = RubricTranslation.objects.get_or_create(
        rubric=original,
        language=language,
        defaults={
            "text": text,
            "digest": digest,
            "data": rubric.to_data(reading.document),
            "published_by": user,
            "published_at": now,
        },
    )
    if translation.digest != digest:
        raise OtherTextExists(original.number, language)
    return Published(original, language, is_new=is_new, warnings=reading.warnings)


def publish_shipped(*, now: datetime) -> Published:
    """Publish the rubric that comes with Spotcheck, in English and Chinese; safe to repeat."""
    english = (SHIPPED / "en.md").read_text("utf-8")
    chinese = (SHIPPED / "zh-hans.md").read_text("utf-8")
    published = publish(text=english, language="en", user=None, now=now)
    translate(original=published.version, text=chinese, language="zh-hans", user=None, now=now)
    return published
