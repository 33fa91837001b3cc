"""What an address names, for pages and calls alike. Raises Http404."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from cases.models import Release, Rubric
from evalsite.statements import Statement


def find_release(name: str) -> Release:
    for release in _by_name.objects(name):
        return release
    raise Http404


_by_name = Statement[Release](
    lambda name: Release.objects.select_related("rubric", "baseline").filter(name=name)
)


def find_version(number: int) -> Rubric:
    return get_object_or_404(Rubric.objects.prefetch_related("translations"), number=number)
