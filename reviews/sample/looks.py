"""The planned looks of a release: how far it is, and what the next one brings in."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import OuterRef, Q
from django.utils.translation import gettext, ngettext

from cases.models import Case, Release
from cases.models.cases import Counted, eligible
from cases.releases import policy
from evalsite.lists import join_with_and
from reviews.models import Draw, SampledCase
from reviews.sample.order import Entry
from reviews.sample.replay import EXTENDED, Retraced, retrace, retrace_all


@dataclass(frozen=True)
class Looks:
    """`sizes` are those of the sample at each planned look, and `look`, from 1, the one that is
    reached or worked towards.

    `planned` cases are in the plan now. `left` of those that the next look needs can still come
    in by the order of the draw.
    """

    sizes: tuple[int, ...]
    look: int
    planned: int
    left: int

    @property
    def next_size(self) -> int | None:
        """Return the size of the sample at the next look; None after the last."""
        return self.sizes[self.look] if self.look < len(self.sizes) else None

    @property
    def coming(self) -> int:
        """Return how many cases the next look brings in."""
        return count_coming(self.sizes, self.look, self.planned)

    @property
    def has_further(self) -> bool:
        """Return whether another look is planned and possible."""
        return self.next_size is not None and self.left >= self.coming


def count_coming(sizes: tuple[int, ...], look: int, planned: int) -> int:
    return max(0, sizes[look] - planned) if look < len(sizes) else 0


def load_looks(release: Release) -> Looks | None:
    """Load the state of the plan; None before the start, and under the first rules."""
    return load_looks_in([release]).get(release.pk)


def load_looks_in(releases: Collection[Release]) -> dict[int, Looks]:
    """Load the plans of several releases, in three queries; those without a plan are left out."""
    found = [
        release
        for release in releases
        if not release.is_draft and release.rules != policy.OLD_RULES
    ]
    if not found:
        return {}
    retraced, planned = retrace_all(found), Counter[int]()
    passed = {
        release.pk: set(retraced[release.pk].passed if release.pk in retraced else ())
        for release in found
    }
    columns = ("release", "case__case_key", "is_outside", "withdrawn_at")
    for pk, key, is_outside, withdrawn_at in SampledCase.objects.filter(
        release__in=found
    ).values_list(*columns):
        planned[pk] += not is_outside and withdrawn_at is None
        if not (is_outside and withdrawn_at is None):
            passed[pk].add(key)
    sizes = {release.pk: tuple(policy.from_data(release.policy).looks) for release in found}
    looks = {pk: 1 + count_extensions(retraced.get(pk)) for pk in sizes}
    coming = {pk: count_coming(sizes[pk], looks[pk], planned[pk]) for pk in sizes}
    left = count_left(found, passed, max(coming.values()))
    return {pk: Looks(sizes[pk], looks[pk], planned[pk], left[pk]) for pk in sizes}


def count_extensions(retraced: Retraced | None) -> int:
    return sum(act.kind == EXTENDED for act in retraced.acts) if retraced else 0


def count_left(
    releases: Collection[Release], passed: Mapping[int, Collection[str]], most: int
) -> dict[int, int]:
    """Count, up to `most`, the eligible cases that the order of the draw has not passed."""
    others = reduce(
        or_,
        (
            Q(release=release) & eligible(release) & ~Q(case_key__in=passed[release.pk])
            for release in releases
        ),
    )
    cases = Case.objects.filter(others, release=OuterRef("pk")).order_by().values("pk")
    # One at least, so that every release takes the same queries.
    rows = Release.objects.filter(pk__in=passed).annotate(left=Counted(cases[: max(most, 1)]))
    return dict(rows.values_list("pk", "left"))


def count_reachable(release: Release) -> int:
    """Count the cases of a draft that are in the sample or can still come in by the order."""
    retraced = retrace(release)
    gone = retraced.gone if retraced else set()
    return Case.objects.eligible(release).exclude(case_key__in=gone).count()


def find_passed(release: Release, retraced: Retraced | None) -> set[str]:
    """Find the cases that the order of the draw has passed: in the plan, withdrawn or removed."""
    rows = release.sample.exclude(is_outside=True, withdrawn_at=None)
    passed = set(rows.values_list("case__case_key", flat=True))
    return passed | (retraced.passed if retraced else set())


def list_line(release: Release) -> list[Entry]:
    """List the cases that are next in the order of the last draw."""
    last = Draw.objects.of(release).order_by("-number").first()
    if last is None:
        return []
    passed = find_passed(release, retrace(release))
    return [entry for entry in last.order if entry.case_key not in passed]


# --- Sentences ------------------------------------------------------------------------------------


def describe_plan(sizes: Sequence[int], look: int = 1) -> str:
    """Describe the plan of a sample that is at this look."""
    if len(sizes) == 1:
        return ngettext(
            "One look is planned, at %(size)d case; the sample does not grow.",
            "One look is planned, at %(size)d cases; the sample does not grow.",
            sizes[0],
        ) % {"size": sizes[0]}
    words = {
        "sizes": join_with_and([str(size) for size in sizes]),
        "size": sizes[min(look, len(sizes)) - 1],
        "look": look,
    }
    if look == 1:
        return gettext("Looks at %(sizes)s cases; this sample of %(size)d is the first.") % words
    return gettext("Looks at %(sizes)s cases; this sample of %(size)d is look %(look)d.") % words


def describe_dropped(wished: Sequence[int], *, drawn: int, available: int) -> list[str]:
    """Say which planned sizes dropped out, and why."""
    low = [str(size) for size in wished if size < drawn]
    high = [str(size) for size in wished if size > max(drawn, available)]
    sentences = []
    if low:
        sentences.append(
            ngettext(
                "The planned size %(sizes)s drops out: the sample is larger.",
                "The planned sizes %(sizes)s drop out: the sample is larger.",
                len(low),
            )
            % {"sizes": join_with_and(low)}
        )
    if high:
        sentences.append(
            ngettext(
                "The planned size %(sizes)s drops out: no more than %(available)d can be sampled.",
                "The planned sizes %(sizes)s drop out: no more than %(available)d can be sampled.",
                len(high),
            )
            % {"sizes": join_with_and(high), "available": available}
        )
    return sentences


def describe_prior(prior: policy.Prior) -> str:
    """Say what the verdict assumes about the spread of scores, and where it is from."""
    assumed = gettext(
        "Until scores say otherwise, the verdict assumes that they spread by %(sd)s points from "
        "case to case, and gives this the weight of %(degrees)d cases."
    ) % {"sd": f"{prior.sd:.2f}".rstrip("0").rstrip("."), "degrees": prior.degrees}
    if prior.releases:
        origin = gettext("This is estimated from %(releases)s.")
        return " ".join([assumed, origin % {"releases": join_with_and(prior.releases)}])
    default = gettext("This is the default: it is estimated from three closed releases on.")
    return " ".join([assumed, default])
