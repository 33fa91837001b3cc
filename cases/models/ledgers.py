"""Ledgers: what a chain of events consists of, and the chains that belong to no release."""

from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

PRODUCT = "product:"


class Ledgered(models.Model):
    """Something with a name and a ledger of its own."""

    # The only stored counters: without them a ledger that lost its last events would look whole.
    ledger_length = models.PositiveIntegerField(_("events in the ledger"), default=0)
    ledger_head = models.CharField(_("digest of the last event"), max_length=64, blank=True)

    class Meta:
        abstract = True

    if TYPE_CHECKING:
        name: "models.CharField[str, str]"


class Chained(models.Model):
    """One event, chained to the previous one by its digest. cases/ledger.py writes and verifies."""

    number = models.PositiveIntegerField(_("number"))
    at = models.DateTimeField(_("at"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    kind = models.CharField(_("what"), max_length=40)
    data = models.JSONField(_("details"))
    previous = models.CharField(_("digest of the event before"), max_length=64, blank=True)
    digest = models.CharField(_("digest"), max_length=64)

    class Meta:
        abstract = True


class LedgerQuerySet(models.QuerySet["Ledger"]):
    def locked(self, name: str) -> "Ledger":
        """Lock the ledger of this name until the transaction ends; the first call makes it.

        Who locks a release as well locks the release first.
        """
        found = self.select_for_update().filter(name=name).first()
        if found is None:
            self.get_or_create(name=name)
            found = self.select_for_update().get(name=name)
        return found

    def of_products(self) -> "LedgerQuerySet":
        return self.filter(name__startswith=PRODUCT).order_by("name")


class Ledger(Ledgered):
    """The ledger of something other than a release, such as a product.

    Its name says what kind it is and of what: `product:` and the name of the product. No release
    can have that name, because of the colon.
    """

    name = models.CharField(_("name"), max_length=220, unique=True)

    objects = LedgerQuerySet.as_manager()

    if TYPE_CHECKING:
        events: "RelatedManager[LedgerEvent]"

    class Meta:
        verbose_name = _("ledger")
        verbose_name_plural = _("ledgers")

    def __str__(self) -> str:
        return self.name

    @property
    def product(self) -> str:
        return self.name.removeprefix(PRODUCT)


class LedgerEvent(Chained):
    ledger = models.ForeignKey(
        Ledger, verbose_name=_("ledger"), on_delete=models.PROTECT, related_name="events"
    )

    class Meta:
        verbose_name = _("event of a ledger")
        verbose_name_plural = _("events of ledgers")
        ordering = ["ledger", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["ledger", "number"], name="event_number_is_unique_in_its_ledger"
            )
        ]

    def __str__(self) -> str:
        return f"{self.ledger_id}:{self.number} {self.kind}"
