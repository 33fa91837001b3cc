"""The JSON of a release."""

from rest_framework import serializers

from cases.models import Release


class ReleaseSerializer(serializers.Serializer[Release]):
    name = serializers.CharField()
    product = serializers.CharField()
    rubric = serializers.IntegerField(source="rubric.number")
    reviews_per_case = serializers.IntegerField()
    baseline = serializers.CharField(source="baseline.name", allow_null=True)
    due_date = serializers.DateField(allow_null=True)
    policy = serializers.DictField()
    status = serializers.CharField()
    created_at = serializers.DateTimeField()
    is_archived = serializers.SerializerMethodField()

    def get_is_archived(self, release: Release) -> bool:
        return release.archived_at is not None
