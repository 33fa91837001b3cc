"""Load pools and samples from the database, without reading any plan."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from django.db import models
from django.db.models.sql.compiler import SQLCompiler
from django.http import Http404

from cases.models import Case, CaseTag, Release
from reviews.models import SampledCase
from reviews.models.samples import SampledCaseQuerySet
from reviews.sample.matching import Sampled
from reviews.sample.pool import Candidate


class Lines(models.Aggregate):
    """Aggregate the values of a column into one text, one per line."""

    function = "STRING_AGG"
    template = "%(function)s(%(expressions)s, E'\\n')"
    output_field = models.TextField()

    def as_sqlite(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        template = "GROUP_CONCAT(%(expressions)s, CHAR(10))"
        return self.as_sql(compiler, connection, template=template, **context)


def load_pool(release: Release) -> list[Candidate]:
    """Load all eligible cases with their tags, in two queries."""
    cases = Case.objects.eligible(release)
    # Tags of all cases, eligible or not: nearly all are, and fewer joins give a better query plan.
    # The database joins the tags of a case: reading them row by row takes twice as long.
    tagged = Case.objects.of(release).values("pk")
    tags = CaseTag.objects.standing().filter(case__in=tagged).order_by()
    lines = dict(tags.values_list("case_id").annotate(lines=Lines("tag")).iterator())
    sets = {text: frozenset(text.split("\n")) for text in set(lines.values())}
    nothing = frozenset[str]()
    return [
        Candidate(key, digest, sets[lines[pk]] if pk in lines else nothing)
        for pk, key, digest in cases.values_list("pk", "case_key", "digest").iterator()
    ]


def load_sample(release: Release) -> list[Sampled]:
    """Load the current cases of the plan with their tags, in order."""
    return load_samples([release]).get(release.pk, [])


def load_samples(releases: Collection[Release | int]) -> dict[int, list[Sampled]]:
    """Load the samples of several releases by primary key, leaving out releases without one.

    Cases outside the plan fill no kind and are left out.
    """
    if not releases:
        return {}
    rows = SampledCase.objects.filter(release__in=releases).standing().planned().in_order()
    tags = load_tags(rows)
    found = defaultdict[int, list[Sampled]](list)
    for row in rows.with_eligibility():
        sampled = Sampled(row.case.case_key, tags[row.case_id], row.kind, row.case.is_eligible)
        found[row.release_id].append(sampled)
    return found


def load_tags(rows: SampledCaseQuerySet) -> Mapping[int, frozenset[str]]:
    """Load the tags of sampled cases, by the primary key of the case."""
    found = defaultdict[int, frozenset[str]](frozenset)
    standing = CaseTag.objects.standing().filter(case__sampled__in=rows.order_by())
    for pk, tag in standing.values_list("case_id", "tag"):
        found[pk] |= {tag}
    return found


def find_case(release: Release, code: str) -> Case:
    found = Case.objects.of(release).without_content().filter(code=code).first()
    if found is None:
        raise Http404
    return found
