"""What the pool of a draft can do for the kinds, and which cases come nearest to the rest."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cases.models import Case, Release
from reviews.pool import pool_of
from reviews.rule import Rule
from reviews.sampling.coverage import Hopeful, Near, counts, nearest
from reviews.sampling.matching import Shortage, shortages
from reviews.sampling.pool import Wanted

# How many cases are looked at; what a larger pool holds, the draw tells.
MOST_LOOKED_AT = 2_000


@dataclass(frozen=True)
class Outlook:
    """`tags` counts the tags of the cases that can be sampled. `is_cut`: there are more cases."""

    fitting: dict[str, int]
    nearest: dict[str, tuple[Near, ...]]
    shortages: list[Shortage]
    tags: list[tuple[str, int]]
    is_cut: bool


def outlook_of(release: Release, rule: Rule) -> Outlook:
    pool = pool_of(release, most=MOST_LOOKED_AT + 1)
    fitting = counts(pool, rule.kinds)
    unfilled = [kind for kind in rule.kinds if not fitting[kind.key]]
    hopefuls = hopefuls_for(release, unfilled) if unfilled else []
    tags = Counter(tag for one in pool for tag in one.tags)
    return Outlook(
        fitting=fitting,
        nearest={kind.key: nearest(hopefuls, kind) for kind in unfilled},
        shortages=shortages(
            {
                kind.key: [one.case_key for one in pool if one.tags >= kind.tags]
                for kind in rule.required
            }
        ),
        tags=sorted(tags.items(), key=lambda one: (-one[1], one[0])),
        is_cut=len(pool) > MOST_LOOKED_AT,
    )


def hopefuls_for(release: Release, kinds: Sequence[Wanted]) -> list[Hopeful]:
    """Cases with some of the tags, surely or by a weak hint, whether they can be sampled or not."""
    tags = frozenset[str]().union(*(kind.tags for kind in kinds))
    with_some = Case.objects.of(release).filter(tags__tag__in=tags).distinct().order_by("case_key")
    found = with_some.without_content().with_tags().select_related("exclusion")
    return [
        Hopeful(
            case.case_key,
            frozenset(case.standing_tags),
            frozenset(tag.tag for tag in case.tags.all() if not tag.removed),
            case.is_reviewable and not hasattr(case, "exclusion"),
        )
        for case in found[:MOST_LOOKED_AT]
    ]
