"""A rule that is proposed while cases come in."""

from functools import partial

import pytest

from cases import imports
from cases.models import Rubric, RuleHit
from tests.bed import soak
from tests.bed.cases import import_lines, lines, make_release, many, source
from tests.bed.races import at_the_same_moment
from tests.bed.rules import over_lunch, propose

ROUNDS = soak.size(short=3, long=60)
CASES = 30


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_rule_proposed_during_an_import_misses_no_case_and_counts_none_twice(
    transactional_db: None, rubric: Rubric
) -> None:
    # The first row that is read in a process takes long: names of places.
    imports.check([source(many(1))], imports.Options()).spool.close()
    bad = 0
    for number in range(ROUNDS):
        product = f"product-{number}"
        release = make_release(f"race-{number}", product=product, rubric=rubric)
        rows = lines(*(over_lunch(f"case-{place}") for place in range(CASES)))
        at_the_same_moment(
            partial(import_lines, release, rows),
            partial(propose, product=product),
            most_delay=0.05,
        )
        bad += RuleHit.objects.filter(rule__product=product).count() != CASES
    soak.report("rules proposed during imports", tried=ROUNDS, bad=bad)
    assert bad == 0
