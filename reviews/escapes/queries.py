"""Read the escapes of a product."""

from django.db.models import Prefetch

from reviews.models import Escape, Sighting
from reviews.models.escapes import EscapeQuerySet


def select_escapes() -> EscapeQuerySet:
    """Select the escapes in force, each with `came_back`, its event and `seen`.

    `seen` has its sightings in force, the oldest first.
    """
    seen = (
        Sighting.objects.in_force()
        .select_related("closing__release", "case")
        .only(
            *("escape", "since", "is_counted", "closing__closed_at", "closing__release__name"),
            *("case__code", "case__case_key"),
        )
        .order_by("closing__closed_at", "pk")
    )
    rows = Escape.objects.in_force().with_return().select_related("event")
    return rows.prefetch_related(Prefetch("sightings", queryset=seen, to_attr="seen"))
