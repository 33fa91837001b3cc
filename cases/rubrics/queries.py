"""Finds the rubric version that an address names."""

from django.shortcuts import get_object_or_404

from cases.models import Rubric


def find_version(number: int) -> Rubric:
    return get_object_or_404(Rubric.objects.prefetch_related("translations"), number=number)
