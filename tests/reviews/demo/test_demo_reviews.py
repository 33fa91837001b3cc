"""The reviews of the demo: two closed releases with a report, and one in which people work."""

import re

from django.contrib.auth.models import User

from cases.models import Release
from reviews.demo import scores
from reviews.management.commands import seed_demo
from reviews.models import Decision, Review
from reviews.models.outcomes import Word
from tests.people import PASSWORD
from tests.reviews.demo.test_demo_cases import HAN, rows_of


def test_the_demo_shows_report_comparison_and_trend(db: None) -> None:
    seed_demo.seed(passwords=dict.fromkeys((one.username for one in seed_demo.PEOPLE), PASSWORD))
    first, second, newest = Release.objects.order_by("name")
    words = [one.closings.get().verdict for one in (first, second)]
    assert words == [Word.NO_GO, Word.NOT_ENOUGH_EVIDENCE]
    assert Decision.objects.get().release == first
    assert newest.is_reviewing
    assert newest.baseline == second
    rows = Review.objects.of(newest)
    assert rows.submitted().count() >= 5
    for name in ("rita", "omar", "wei"):
        assert rows.by(User.objects.get(username=name)).open().exists()
    seed_demo.seed(passwords={})
    assert Release.objects.count() == 3


def test_its_reviews_are_of_cases_that_are_there_and_in_both_languages() -> None:
    told = scores.read_reviews()
    assert list(told) == list(seed_demo.RELEASES)
    texts = []
    for name, one in told.items():
        known = {row.case.case_key for row in rows_of(name.removeprefix("wayfarer-"))}
        for row in one["reviews"]:
            assert row["case"] in known
            texts += row["why"]
    assert sum(bool(HAN.search(text)) for text in texts) >= 15
    assert sum(not HAN.search(text) for text in texts) >= 15
    assert len(set(texts)) == len(texts)
    assert not [text for text in texts if re.search(r"\s\s|lorem", text, re.IGNORECASE)]
