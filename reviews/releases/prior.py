"""The spread of standing scores that a verdict assumes before any score is seen."""

from cases.models import Release
from cases.models.releases import Status
from cases.releases.policy import Prior
from reviews.comparison import estimate_prior
from reviews.models import Closing
from reviews.report import summary

# Fewer closed releases of a product say too little; more than the newest few say nothing about now.
FEWEST_RELEASES = 3
MOST_RELEASES = 8


def load_prior(release: Release) -> Prior:
    """Estimate the prior from the newest closed releases of the product, if there are enough.

    Only metrics that the release has on the same scale count. Reads stored reports: call it once,
    at the start.
    """
    standing = Closing.objects.standing().filter(
        release__product=release.product, release__status=Status.CLOSED, is_abandoned=False
    )
    closings = (
        standing.select_related("release__rubric")
        .defer("summary")
        .order_by("-closed_at", "-pk")[:MOST_RELEASES]
    )
    if not release.product or len(closings) < FEWEST_RELEASES:
        return Prior()
    scales = {(metric.key, metric.values) for metric in release.rubric.document.metrics}
    groups = []
    for closing in closings:
        found = summary.load(closing.release)
        groups += [
            [case.scores[place].standing for case in found.counted]
            for place, metric in enumerate(found.metrics)
            if (metric.metric, metric.levels) in scales
        ]
    estimated = estimate_prior(groups)
    if estimated is None:
        return Prior()
    names = sorted(closing.release.name for closing in closings)
    return Prior(round(estimated.sd, 4), estimated.degrees, names)
