"""Find rubric versions."""

from django.shortcuts import get_object_or_404

from cases.models import Rubric


def find_version(number: int) -> Rubric:
    """Return the version with this number, with its translations. Raises Http404."""
    return get_object_or_404(Rubric.objects.prefetch_related("translations"), number=number)
