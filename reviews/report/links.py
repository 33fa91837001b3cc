"""Links to the cases behind a number. Case codes are looked up once for all cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import quote_plus

from django.urls import reverse

from cases.models import Case, Release


class Links:
    """Collects the cases of a page, and reads their codes when the first link is rendered.

    `release` is the release of the report, `other` the one it is compared with. `is_named`: the
    address of the cases names the other release; else it is the baseline. `is_across`: the two were
    judged by different versions of the rubric.
    """

    def __init__(
        self,
        release: Release,
        other: Release | None = None,
        *,
        is_named: bool = False,
        is_across: bool = False,
    ) -> None:
        self.release, self.other = release, other
        self.named = set[str]()
        across: dict[str, str | int] = {"across": 1} if is_across else {}
        self.asked = {"with": other.name, **across} if is_named and other else {}
        self.asked_back = {"with": release.name, **across}

    def case(self, case_key: str) -> CaseLink:
        self.named.add(case_key)
        return CaseLink(case_key, self)

    @cached_property
    def codes(self) -> dict[tuple[int, str], str]:
        releases = [compared.pk for compared in (self.release, self.other) if compared]
        rows = Case.objects.filter(release__in=releases, case_key__in=self.named)
        return {
            (release, key): code
            for release, key, code in rows.values_list("release", "case_key", "code")
        }

    def rows(self, **asked: str | int) -> str:
        """Return the address of the cases behind a number."""
        return build_rows_path(self.release, {**asked, **self.asked})

    def rows_before(self, **asked: str | int) -> str:
        """Return the same for the release it is compared with."""
        return build_rows_path(self.other, {**asked, **self.asked_back}) if self.other else ""


def build_rows_path(release: Release, asked: Mapping[str, str | int]) -> str:
    path = build_path("report-cases", release.name)
    chosen = "&".join(f"{name}={quote(value)}" for name, value in asked.items())
    return f"{path}?{chosen}" if chosen else path


# A report has hundreds of links, and most of them do not change with the next event.


@lru_cache(maxsize=4096)
def build_path(view: str, *parts: str) -> str:
    return reverse(view, args=parts)


@lru_cache(maxsize=4096, typed=True)
def quote(value: str | int) -> str:
    return quote_plus(str(value))


@dataclass(frozen=True)
class CaseLink:
    """A case by its key; its addresses are empty if the release does not have it."""

    case_key: str
    links: Links

    def __str__(self) -> str:
        return self.case_key

    def code_in(self, release: Release | None) -> str:
        return self.links.codes.get((release.pk, self.case_key), "") if release else ""

    @property
    def code(self) -> str:
        return self.code_in(self.links.release)

    @property
    def before(self) -> str:
        return self.code_in(self.links.other)

    @property
    def url(self) -> str:
        """Return the page that shows its reviews side by side."""
        return build_path("adjudication", self.links.release.name, self.code) if self.code else ""

    @property
    def plan_url(self) -> str:
        return build_path("case", self.code) if self.code else ""

    @property
    def plan_before_url(self) -> str:
        return build_path("case", self.before) if self.before else ""

    @property
    def both_url(self) -> str:
        """Return the page that shows its plan beside the earlier one."""
        both = self.code, self.before
        return build_path("case-comparison", *both) if all(both) else ""
