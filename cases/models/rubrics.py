"""The yardstick."""

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from cases import rubric

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class RubricQuerySet(models.QuerySet["Rubric"]):
    def newest(self) -> "Rubric | None":
        return self.order_by("-number").first()


class RubricText(models.Model):
    """One rubric document in one language. Written once: the database refuses a change."""

    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES)
    text = models.TextField(_("text"), help_text=_("The document as it was written."))
    digest = models.CharField(
        _("digest"), max_length=64, help_text=_("SHA-256 over the canonical text.")
    )
    data = models.JSONField(_("parsed document"))
    published_at = models.DateTimeField(_("published at"))
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("published by"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=_("Empty: published from the command line."),
    )

    class Meta:
        abstract = True

    @cached_property
    def document(self) -> rubric.Document:
        return parsed(self, self.digest)


@lru_cache(maxsize=50)
def parsed(text: RubricText, digest: str) -> rubric.Document:
    """Once in each process: every page and every save reads it, and it never changes under its
    digest."""
    return rubric.from_data(text.data)


class Rubric(RubricText):
    """A numbered version of the yardstick."""

    number = models.PositiveIntegerField(_("number"), unique=True)

    objects = RubricQuerySet.as_manager()

    if TYPE_CHECKING:
        translations: "RelatedManager[RubricTranslation]"

    class Meta:
        verbose_name = _("rubric")
        verbose_name_plural = _("rubrics")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["digest"],
                name="rubric_text_is_published_once",
                violation_error_message=_("This text is already published."),
            ),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="rubric_number_from_1"),
        ]

    def __str__(self) -> str:
        return _("Rubric version %(number)d") % {"number": self.number}

    def get_absolute_url(self) -> str:
        return reverse("rubric", args=[self.number])

    def texts(self) -> dict[str, RubricText]:
        """The document in each language it has, its own first. Prefetch `translations` of many."""
        return self._texts

    @cached_property
    def _texts(self) -> dict[str, RubricText]:
        return {self.language: self} | {text.language: text for text in self.translations.all()}

    @property
    def language_names(self) -> list[str]:
        return [text.get_language_display() for text in self.texts().values()]

    @property
    def metric_names(self) -> list[str]:
        return [metric.name for metric in self.document.metrics]

    def text_for(self, language: str | None) -> RubricText:
        """What somebody with this interface language reads; a review records which it was.

        No query for whoever reads the original.
        """
        if language in (None, self.language):
            return self
        return self.texts().get(language or "", self)


class RubricTranslation(RubricText):
    """The same rubric in another language: same keys, same numbers."""

    rubric = models.ForeignKey(
        Rubric, verbose_name=_("rubric"), on_delete=models.PROTECT, related_name="translations"
    )

    class Meta:
        verbose_name = _("rubric translation")
        verbose_name_plural = _("rubric translations")
        constraints = [
            models.UniqueConstraint(
                fields=["rubric", "language"],
                name="one_translation_per_language",
                violation_error_message=_("This version already has a text in that language."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.rubric} ({self.get_language_display()})"
