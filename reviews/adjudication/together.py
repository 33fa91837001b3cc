"""Decide when the reviewers of a case may settle it together, because no one else could."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext, ngettext

from cases.models import Release
from evalsite.lists import join_list
from evalsite.permissions import GROUP_OF, Role
from reviews.assignments.inputs import active_reviewers
from reviews.errors import Missing
from reviews.models import Pairing, Review
from reviews.models.reviews import OPEN, SEEN, ReviewStatus
from reviews.sample.looks import load_looks


def has_further_look(release: Release) -> bool:
    """Return whether the plan of the release has another look that can still be taken."""
    looks = load_looks(release)
    return looks is not None and looks.has_further


@dataclass(frozen=True)
class Settlers:
    """Who may settle a case.

    `outsiders` could adjudicate and did not review it. Without any, its reviewers, the
    `participants`, settle it together as soon as there are no `obstacles`, each a sentence.
    """

    outsiders: tuple[str, ...]
    participants: tuple[str, ...]
    obstacles: tuple[str, ...]

    @property
    def may_settle_together(self) -> bool:
        return not self.outsiders and not self.obstacles


@dataclass(frozen=True)
class Team:
    """The people of a release, by user name.

    `adjudicators` are the active admins and managers. `on_case` has those with an open or
    submitted review of a case, `open_on_case` those whose review of it is open, and
    `open_reviews` how many each has open, with pairs to read. `readers_of_next_look` is None if no
    further look is planned, otherwise those who could read its cases.
    """

    adjudicators: tuple[str, ...]
    on_case: Mapping[str, Collection[str]]
    open_on_case: Mapping[str, Collection[str]]
    open_reviews: Mapping[str, int]
    reviews_per_case: int
    readers_of_next_look: frozenset[str] | None

    def find_settlers(self, case_key: str, participants: Sequence[str]) -> Settlers:
        """Return who may settle the case; `participants` submitted a review of it."""
        on_case = self.on_case.get(case_key, ())
        outsiders = tuple(name for name in self.adjudicators if name not in on_case)
        obstacles = () if outsiders else tuple(self.list_obstacles(case_key, participants))
        return Settlers(outsiders, tuple(participants), obstacles)

    def list_obstacles(self, case_key: str, participants: Sequence[str]) -> list[str]:
        """List why the case cannot be settled together yet."""
        late = self.open_on_case.get(case_key, ())
        waiting = sorted({*late, *(name for name in participants if self.open_reviews.get(name))})
        obstacles = [describe_open_reviews(name, self.open_reviews[name]) for name in waiting]
        readers = self.readers_of_next_look
        if readers is not None and len(readers - set(participants)) < self.reviews_per_case:
            obstacles.append(
                gettext(
                    "More cases are planned, and without these reviewers too few people could "
                    "read them. Settle this case after the last planned look."
                )
            )
        return obstacles


def describe_open_reviews(username: str, count: int) -> str:
    return ngettext(
        "%(person)s has %(count)d open review in this release, and could not finish it afterwards.",
        "%(person)s has %(count)d open reviews in this release, and could not finish them "
        "afterwards.",
        count,
    ) % {"person": username, "count": count}


def load_team(release: Release) -> Team:
    """Load who has which cases, with three queries, or five if a further look is planned."""
    on_case, open_on_case = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    open_reviews = Counter[str]()
    rows = Review.objects.of(release).filter(status__in=(*OPEN, ReviewStatus.SUBMITTED)).order_by()
    for case_key, username, status in rows.values_list(
        "case__case_key", "reviewer__username", "status"
    ):
        on_case[case_key].add(username)
        if status in OPEN:
            open_on_case[case_key].add(username)
            open_reviews[username] += 1
    pairings = Pairing.objects.of(release).open().order_by()
    open_reviews.update(pairings.values_list("reader__username", flat=True))
    return Team(
        adjudicators=tuple(sorted(list_adjudicators())),
        on_case=on_case,
        open_on_case=open_on_case,
        open_reviews=open_reviews,
        reviews_per_case=release.reviews_per_case,
        readers_of_next_look=load_readers(release) if has_further_look(release) else None,
    )


def list_adjudicators() -> Collection[str]:
    """List the active admins and managers. Superusers have the rights of both."""
    staff = [GROUP_OF[Role.ADMIN], GROUP_OF[Role.MANAGER]]
    may = Q(is_superuser=True) | Q(groups__name__in=staff)
    active = User.objects.filter(may, is_active=True)
    return set(active.values_list("username", flat=True))


def load_readers(release: Release) -> frozenset[str]:
    """Load the active reviewers who can still be assigned in the release."""
    seen = release.events.filter(kind=SEEN).values_list("by", flat=True)
    readers = active_reviewers().values_list("username", flat=True)
    return frozenset(readers) - frozenset(seen)


# --- Sentences ------------------------------------------------------------------------------------


def describe_settlers(settlers: Settlers) -> list[str]:
    """Say to a person who reviewed the case who may settle it, or why no one may yet."""
    if settlers.outsiders:
        return [
            gettext("You reviewed this case, so someone else has to settle it."),
            gettext("It can be adjudicated by %(people)s.")
            % {"people": join_list(settlers.outsiders)},
        ]
    if settlers.obstacles:
        return [
            gettext(
                "Everyone who could adjudicate reviewed this case. Its reviewers cannot settle it "
                "together yet."
            ),
            *settlers.obstacles,
        ]
    return [gettext("Everyone who could adjudicate reviewed this case: settle it together.")]


def describe_together(usernames: Sequence[str]) -> str:
    """Return how a case was settled; empty if it was adjudicated in the ordinary way."""
    if not usernames:
        return ""
    return gettext("settled together by its own reviewers: %(people)s") % {
        "people": join_list(usernames)
    }


def check_participants(participants: Collection[str], confirmed: Collection[str]) -> list[Missing]:
    """List what is wrong with the people who are said to have taken part."""
    problems = []
    if absent := sorted(set(participants) - set(confirmed)):
        problems.append(
            Missing(
                "together",
                gettext(
                    "Confirm that %(people)s took part: everyone who reviewed the case has to "
                    "agree."
                )
                % {"people": join_list(absent)},
            )
        )
    if strangers := sorted(set(confirmed) - set(participants)):
        problems.append(
            Missing(
                "together",
                gettext("Leave out %(people)s: only people who reviewed the case take part.")
                % {"people": join_list(strangers)},
            )
        )
    return problems
