"""Find releases."""

from django.http import Http404

from cases.models import Release
from evalsite.statements import Statement


def find_release(name: str) -> Release:
    """Return the release with this name, with its rubric and baseline. Raises Http404."""
    for release in _by_name.objects(name):
        return release
    raise Http404


_by_name = Statement[Release](
    lambda name: Release.objects.select_related("rubric", "baseline").filter(name=name)
)
