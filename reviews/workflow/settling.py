"""Which case of a sample fills which kind: written down again after whatever may change it."""

from cases.models import Release
from reviews.pool import sample_of
from reviews.rule import rule_of
from reviews.sampling.settling import settle


def settle_kinds(release: Release) -> None:
    """After a change of sample or waivers, and before what is frozen then. `release` is locked."""
    sample, rule = sample_of(release), rule_of(release)
    settled = settle(sample, rule.kinds, rule.waived)
    for one in sample:
        if settled[one.case_key] != one.kind:
            rows = release.sample.filter(case__case_key=one.case_key)
            rows.update(kind=settled[one.case_key])
