"""The app is not installed in the product, so that its managers are named for the type checker."""

from django.contrib.auth.models import User
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


class Token(models.Model):
    digest = models.CharField(max_length=128, primary_key=True)
    # The floor has no migrations, so its tables are made before those of people.
    user = models.ForeignKey(User, on_delete=models.CASCADE, db_constraint=False)

    objects: models.Manager["Token"] = models.Manager()

    class Meta:
        app_label = "floor"

    def __str__(self) -> str:
        return self.digest[:8]


class Answer(models.Model):
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="answers")
    question = models.CharField(max_length=40)
    answer = models.CharField(max_length=3)

    objects: models.Manager["Answer"] = models.Manager()

    class Meta:
        app_label = "floor"

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}"
