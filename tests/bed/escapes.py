"""Closed releases with findings: what each of two people says about a case, case by case."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from cases.models import Release
from reviews.desk import judgement as said
from reviews.desk.judgement import Judgement
from reviews.models import Closing, Escape
from reviews.releases import lifecycle
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.bed.reviewed import ITEMS, METRICS

LUNCH = ITEMS[1]
NOTE = "Lunch lies inside the visit on day 1."
QUOTE = [{"kind": "quote", "ref": "/plan/title#0-2", "text": "云溪"}]

Said = Mapping[str, Any]


def says(*, no: Iterable[str] = (), na: Iterable[str] = (), **values: int) -> Judgement:
    """All yes and 4, but for these questions and metrics (`usability_value=1`)."""
    answers: dict[str, Said] = {item: {"answer": "yes"} for item in ITEMS}
    answers |= {item: {"answer": "no", "note": NOTE, "evidence": QUOTE} for item in no}
    answers |= {item: {"answer": "na"} for item in na}
    scores = dict.fromkeys(METRICS, 4) | {
        name.replace("_", "-"): value for name, value in values.items()
    }
    return said.from_data(
        {
            "scores": {
                metric: {"value": value, "rationale": "The trams are named, the rest is not."}
                for metric, value in scores.items()
            },
            "answers": answers,
        }
    )


def put(release: Release, people: Iterable[User], given: Mapping[str, Iterable[Judgement]]) -> None:
    """Case -> what each of them says; all yes where it is not named."""
    people = list(people)
    reviewed.put_judgements(
        release,
        {
            key: dict(zip(people, given.get(key, [says()] * len(people)), strict=True))
            for key in reviewed.sampled(release)
        },
    )


def close(release: Release, *, user: User | None = None, now: datetime = NOW) -> Closing:
    """What is left to settle is waived."""
    release = reviewed.current(release)
    waived = [missing.rule for missing in lifecycle.find_missing_for_close(release)]
    return lifecycle.close(release=release, waived=waived, reason="Small.", user=user, now=now)


def closed(
    people: Iterable[User],
    given: Mapping[str, Iterable[Judgement]],
    name: str = "wanderer-1",
    *,
    now: datetime = NOW,
) -> Release:
    release = reviewed.started(name)
    put(release, people, given)
    close(release, now=now)
    return reviewed.current(release)


def in_force(product: str = "wanderer") -> list[tuple[str, str]]:
    """The key and the case of each escape that a closed release has now."""
    return sorted(Escape.objects.of(product).in_force().values_list("key", "case_key"))
