"""The app is not installed in the product, so that its managers are named for the type checker."""

from django.db import models


class Item(models.Model):
    key = models.CharField(max_length=40, unique=True)
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    number = models.PositiveIntegerField()
    made_at = models.DateTimeField()
    lines = models.JSONField()

    objects: models.Manager["Item"] = models.Manager()

    class Meta:
        app_label = "floor"

    def __str__(self) -> str:
        return self.key


class Answer(models.Model):
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="answers")
    question = models.CharField(max_length=40)
    answer = models.CharField(max_length=3)

    objects: models.Manager["Answer"] = models.Manager()

    class Meta:
        app_label = "floor"

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}"
