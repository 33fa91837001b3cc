"""Imports: batches, the content they replaced, and uploads that wait for confirmation."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models.releases import Release

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from cases.models.cases import Case


class BatchQuerySet(models.QuerySet["Batch"]):
    def of(self, release: Release) -> "BatchQuerySet":
        return self.filter(release=release)

    def standing(self) -> "BatchQuerySet":
        return self.filter(undone_at=None)

    def of_tables(self, release: Release) -> "BatchQuerySet":
        """Keep imports of tables into releases of the same product, the newest first.

        A release without a product only knows its own.
        """
        same = (
            self.filter(release__product=release.product) if release.product else self.of(release)
        )
        return same.exclude(columns={}).order_by("-pk")


class Batch(models.Model):
    """One import that changed something. Undone ones stay listed."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.PROTECT, related_name="batches"
    )
    number = models.PositiveIntegerField(_("number"))
    source = models.TextField(_("source"), help_text=_("The names of the files."))
    created_at = models.DateTimeField(_("imported at"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    undone_at = models.DateTimeField(_("undone at"), null=True, blank=True)
    columns = models.JSONField(
        _("columns"),
        default=dict,
        blank=True,
        help_text=_("Which fields a table's columns filled."),
    )

    objects = BatchQuerySet.as_manager()

    if TYPE_CHECKING:
        cases: "RelatedManager[Case]"
        replaced: "RelatedManager[Replaced]"

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        ordering = ["release", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "number"], name="batch_number_is_unique_in_its_release"
            )
        ]

    def __str__(self) -> str:
        return _("Import %(number)d") % {"number": self.number}


class Replaced(models.Model):
    """A case as it was before a batch changed it, with the tags read from it."""

    batch = models.ForeignKey(
        Batch, verbose_name=_("import"), on_delete=models.CASCADE, related_name="replaced"
    )
    case = models.ForeignKey("cases.Case", verbose_name=_("case"), on_delete=models.CASCADE)
    prior_batch = models.ForeignKey(
        Batch, verbose_name=_("came with"), on_delete=models.PROTECT, related_name="+"
    )
    row = models.JSONField(_("the case as it was"))
    tags = models.JSONField(_("its tags as they were"))

    class Meta:
        verbose_name = _("replaced case")
        verbose_name_plural = _("replaced cases")
        constraints = [
            models.UniqueConstraint(fields=["batch", "case"], name="a_batch_replaces_a_case_once")
        ]

    def __str__(self) -> str:
        return f"{self.case_id} before {self.batch_id}"


class Upload(models.Model):
    """An uploaded file that waits for confirmation of its preview. Kept for a day."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.CASCADE, related_name="uploads"
    )
    name = models.CharField(_("name"), max_length=200)
    content = models.BinaryField(_("content, gzipped"))
    report = models.BinaryField(_("check report, gzipped"), default=b"", blank=True)
    format = models.CharField(_("format"), max_length=40)
    key_from = models.CharField(_("key from"), max_length=40, blank=True)
    columns = models.JSONField(_("columns"), default=dict, blank=True)
    created_at = models.DateTimeField(_("uploaded at"))
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("uploaded by"),
        on_delete=models.PROTECT,
        related_name="+",
    )

    class Meta:
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("import-preview", args=[self.release.name, self.pk])
