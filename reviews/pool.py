"""What a release can be drawn from, read from the database without a single plan."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models.sql.compiler import SQLCompiler

from cases.models import Case, CaseTag, Release
from reviews.models import SampledCase
from reviews.models.samples import SampledCaseQuerySet
from reviews.sampling.pool import Candidate
from reviews.sampling.settling import Sampled


class Lines(models.Aggregate):
    """The values of a column as one text, a line each."""

    function = "STRING_AGG"
    template = "%(function)s(%(expressions)s, E'\\n')"
    output_field = models.TextField()

    def as_sqlite(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        template = "GROUP_CONCAT(%(expressions)s, CHAR(10))"
        return self.as_sql(compiler, connection, template=template, **context)


def pool_of(release: Release, most: int | None = None) -> list[Candidate]:
    """Two queries. `most` looks only at so many cases, in the order of their keys."""
    cases = tagged = Case.objects.of(release).eligible()
    if most is None:
        tagged = Case.objects.of(release)  # nearly all are eligible; fewer joins are planned better
    else:
        cases = tagged = cases.order_by("case_key")[:most]
    # The database puts the tags of a case together: reading them one by one takes twice as long.
    tags = CaseTag.objects.standing().filter(case__in=tagged.values("pk")).order_by()
    lines = dict(tags.values_list("case_id").annotate(lines=Lines("tag")).iterator())
    sets = {text: frozenset(text.split("\n")) for text in set(lines.values())}
    nothing = frozenset[str]()
    return [
        Candidate(key, digest, sets[lines[pk]] if pk in lines else nothing)
        for pk, key, digest in cases.values_list("pk", "case_key", "digest").iterator()
    ]


def sample_of(release: Release) -> list[Sampled]:
    """The standing sample with the tags of its cases, in its order."""
    rows = SampledCase.objects.of(release).standing().in_order()
    tags = tags_of(rows)
    return [
        Sampled(key, tags[pk], kind)
        for pk, key, kind in rows.values_list("case_id", "case__case_key", "kind")
    ]


def tags_of(rows: SampledCaseQuerySet) -> Mapping[int, frozenset[str]]:
    """The tags of sampled cases, by the key of the case."""
    found = defaultdict[int, frozenset[str]](frozenset)
    standing = CaseTag.objects.standing().filter(case__sampled__in=rows.order_by())
    for pk, tag in standing.values_list("case_id", "tag"):
        found[pk] |= {tag}
    return found
