"""Choose the next step of a release from facts about it. Runs no query."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cases.models import Release
from cases.models.releases import Status
from evalsite.permissions import Role

PATH = {
    "cases": _("Cases"),
    "sample": _("Sample"),
    "reviews": _("Reviews"),
    "close": _("Closing"),
    "decision": _("Decision"),
}


@dataclass(frozen=True)
class Facts:
    """The facts that decide the next step.

    `available` cases of a draft are eligible, `least` are needed. `is_fillable`: a case is left
    that could solve the problems. `is_blind`: the viewer still has a review to submit, so nothing
    about others' scores is shown. `may_waive`: the viewer is a manager. `abandoned_in`: the status
    in which it was abandoned, or empty. `look` of `looks` is reached or worked towards, 0 without
    planned looks; `next_size` is that of the sample at the next look, if it is possible.
    `pairs_missing` of `pairs_expected` readings are waited for, if the policy decides by pairs;
    `pairs_unplanned` of them have no reader, and `pairs_obstacle` says why there can be none.
    """

    cases: int
    available: int
    least: int
    accepts_warnings: bool
    is_drawn: bool
    is_stale: bool
    unfillable: tuple[str, ...]
    problems: tuple[str, ...]
    is_fillable: bool
    reviews_in: int
    reviews_expected: int
    is_waiting: bool
    unassigned: int
    is_blind: bool
    may_waive: bool
    adjudications_open: int
    abandoned_in: str
    is_signed: bool
    look: int = 0
    looks: int = 0
    next_size: int | None = None
    pairs_expected: int = 0
    pairs_missing: int = 0
    pairs_unplanned: int = 0
    pairs_obstacle: str = ""


@dataclass(frozen=True)
class Step:
    """A step. `act` names the control that the page shows, or is empty; `who` may use it.

    `can_be_waived`: a waiver solves it too. `is_over`: nothing comes next. `next_look`: the next
    planned look can be taken now, in words. `place` is the current stage; empty means all are done.
    """

    place: str
    title: str
    text: str
    act: str = ""
    who: Role | None = None
    can_be_waived: bool = False
    is_over: bool = False
    next_look: str = ""

    @property
    def path(self) -> list[tuple[str, str]]:
        """List every stage with its state: done, now, later, or never if it ended earlier."""
        places = list(PATH)
        now = places.index(self.place) if self.place in places else len(places)
        here, ahead = ("never", "never") if self.is_over else ("now", "later")
        return [
            (str(name), "done" if number < now else here if number == now else ahead)
            for number, name in enumerate(PATH.values())
        ]


def choose_next_step(release: Release, facts: Facts) -> Step:
    if release.is_draft:
        return choose_draft_step(facts)
    if release.is_reviewing:
        return choose_reviewing_step(facts)
    return choose_closed_step(facts)


def choose_draft_step(facts: Facts) -> Step:
    if not facts.cases:
        return Step(
            "cases",
            gettext("Import cases"),
            gettext(
                "A file has one case per line of JSON, or per row of a table. All are imported, or "
                "none."
            ),
            "import",
            Role.ADMIN,
        )
    if not facts.available or facts.available < facts.least:
        return Step(
            "sample",
            gettext("Import more eligible cases"),
            describe_too_few(facts),
            "import",
            Role.ADMIN,
            can_be_waived=bool(facts.available),
        )
    if facts.unfillable:
        return Step(
            "sample",
            gettext("Make every kind fillable"),
            describe_unfillable(facts),
            "draw",
            Role.ADMIN,
            can_be_waived=True,
        )
    if not facts.is_drawn:
        return Step(
            "sample",
            gettext("Draw the sample"),
            gettext("The draw follows the rule of the rubric: every kind gets its own case."),
            "draw",
            Role.ADMIN,
        )
    if facts.is_stale:
        return Step(
            "sample",
            gettext("Check the sample again"),
            gettext(
                "Cases, tags, settings or the rubric changed since it was drawn. If that changed "
                "the pool, draw again before the review starts."
            ),
            "draw",
            Role.ADMIN,
        )
    if facts.problems:
        return Step(
            "sample",
            gettext("Complete the sample"),
            " ".join([*facts.problems, suggest_waiver(facts)]),
            "draw",
            Role.ADMIN,
            can_be_waived=True,
        )
    return Step(
        "sample",
        gettext("Start the review"),
        gettext("The sample is complete. Starting the review freezes cases, tags and rubric."),
        "start",
        Role.ADMIN,
    )


def choose_reviewing_step(facts: Facts) -> Step:
    if facts.problems and not facts.is_fillable:
        nothing_left = gettext(
            "No case is left that could fill the gap, so the rule has to be waived."
        )
        return Step(
            "reviews",
            gettext("Waive what cannot be filled"),
            " ".join([*facts.problems, nothing_left]),
            "waive",
            Role.MANAGER,
        )
    if facts.problems:
        return Step(
            "reviews",
            gettext("Complete the sample"),
            " ".join([*facts.problems, suggest_waiver(facts)]),
            "add",
            Role.ADMIN,
            can_be_waived=True,
        )
    if facts.unassigned:
        return Step(
            "reviews",
            gettext("Assign the cases"),
            " ".join([describe_unassigned(facts), describe_progress(facts)]),
            "assign",
            Role.ADMIN,
        )
    if facts.is_waiting:
        return Step(
            "reviews",
            gettext("Reviews are being written"),
            describe_progress(facts),
        )
    return replace(choose_complete_step(facts), next_look=describe_next_look(facts))


def choose_complete_step(facts: Facts) -> Step:
    """Choose the step once all reviews are in or waived."""
    if facts.is_blind:
        return Step(
            "close",
            gettext("Submit your own work first"),
            gettext(
                "All reviews that the release needs are in, but you still have a review or a pair "
                "to submit. You cannot see others' scores until then."
            ),
        )
    if facts.pairs_missing and facts.next_size is not None:
        return Step(
            "close",
            gettext("Take the next look"),
            " ".join([describe_in(facts), describe_pairs_later(facts)]),
            can_be_waived=True,
        )
    if facts.pairs_missing and facts.pairs_obstacle:
        return Step(
            "close",
            gettext("Waive the pairs"),
            " ".join([describe_in(facts), facts.pairs_obstacle, describe_pairs_decide(facts)]),
            "waive",
            Role.MANAGER,
        )
    if facts.pairs_unplanned:
        return Step(
            "close",
            gettext("Plan the readings side by side"),
            " ".join([describe_in(facts), describe_pairs_decide(facts)]),
            "pairs",
            Role.ADMIN,
            can_be_waived=True,
        )
    if facts.adjudications_open:
        return Step(
            "close",
            gettext("Settle what reviewers differ on"),
            ngettext(
                "%(count)d case is waiting for adjudication.",
                "%(count)d cases are waiting for adjudication.",
                facts.adjudications_open,
            )
            % {"count": facts.adjudications_open},
            "settle",
        )
    if facts.pairs_missing:
        return Step("close", gettext("Pairs are being read"), describe_pairs_decide(facts))
    return Step(
        "close",
        gettext("Close the release"),
        describe_complete(facts),
        "close",
        Role.MANAGER,
    )


def describe_unassigned(facts: Facts) -> str:
    return ngettext(
        "%(cases)d case lacks reviewers.", "%(cases)d cases lack reviewers.", facts.unassigned
    ) % {"cases": facts.unassigned}


def describe_progress(facts: Facts) -> str:
    words = {
        "look": facts.look,
        "looks": facts.looks,
        "count": facts.reviews_in,
        "expected": facts.reviews_expected,
    }
    if facts.looks > 1:
        return (
            gettext("Look %(look)d of %(looks)d: %(count)d of %(expected)d reviews are in.") % words
        )
    return gettext("%(count)d of %(expected)d reviews are in.") % words


def describe_next_look(facts: Facts) -> str:
    """Describe the next planned look; empty if there is none."""
    if facts.next_size is None:
        return ""
    return gettext("Go on to look %(look)d of %(looks)d, with %(size)d cases") % {
        "look": facts.look + 1,
        "looks": facts.looks,
        "size": facts.next_size,
    }


def describe_in(facts: Facts) -> str:
    """Say how many reviews are in, also if the others are waived."""
    if facts.reviews_in < facts.reviews_expected:
        return gettext("%(count)d of %(expected)d reviews are in, the others are waived.") % {
            "count": facts.reviews_in,
            "expected": facts.reviews_expected,
        }
    return gettext("All reviews are in.")


def describe_pairs_decide(facts: Facts) -> str:
    sentence = gettext(
        "Pairs decide here whether the release got worse: %(count)d of %(expected)d readings "
        "are in."
    )
    read = facts.pairs_expected - facts.pairs_missing
    return sentence % {"count": read, "expected": facts.pairs_expected}


def describe_pairs_later(facts: Facts) -> str:
    if facts.may_waive:
        return gettext(
            "Pairs decide here whether the release got worse, and they are read after the last "
            "look. To close it earlier, waive them."
        )
    return gettext(
        "Pairs decide here whether the release got worse, and they are read after the last "
        "look. To close it earlier, a manager has to waive them."
    )


def describe_complete(facts: Facts) -> str:
    """Say that the reviews are in, and at which look."""
    at_look = gettext("This is look %(look)d of %(looks)d.") % {
        "look": facts.look,
        "looks": facts.looks,
    }
    return (
        " ".join([at_look, describe_all_in(facts)]) if facts.looks > 1 else describe_all_in(facts)
    )


def describe_all_in(facts: Facts) -> str:
    if facts.reviews_in < facts.reviews_expected:
        return gettext(
            "%(count)d of %(expected)d reviews are in, the others are waived. Closing stores the "
            "report and freezes the release."
        ) % {"count": facts.reviews_in, "expected": facts.reviews_expected}
    return gettext("All reviews are in. Closing stores the report and freezes the release.")


def describe_too_few(facts: Facts) -> str:
    if facts.accepts_warnings:
        what_it_takes = gettext(
            "A case can be sampled if it passed its automated checks, with or without a warning, "
            "has a plan and is not excluded."
        )
    else:
        what_it_takes = gettext(
            "A case can be sampled if it passed its automated checks without a warning, has a plan "
            "and is not excluded."
        )
    if not facts.available:
        return " ".join([gettext("None of the cases can be sampled."), what_it_takes])
    count = ngettext(
        "Only %(count)d case can be sampled; at least %(least)d are needed.",
        "Only %(count)d cases can be sampled; at least %(least)d are needed.",
        facts.available,
    ) % {"count": facts.available, "least": facts.least}
    waive = (
        gettext("Or waive the number of cases.")
        if facts.may_waive
        else gettext("Or ask a manager to waive the number of cases.")
    )
    return " ".join([count, what_it_takes, waive])


def describe_unfillable(facts: Facts) -> str:
    left = gettext("No case of its own is left for: %(kinds)s.") % {
        "kinds": gettext("; ").join(facts.unfillable)
    }
    solve = (
        gettext("Correct tags, bring in more cases, or waive a kind.")
        if facts.may_waive
        else gettext("Correct tags, bring in more cases, or ask a manager to waive a kind.")
    )
    return " ".join([left, solve])


def suggest_waiver(facts: Facts) -> str:
    if facts.may_waive:
        return gettext("Add a case that fills the gap, or waive the rule.")
    return gettext("Add a case that fills the gap, or ask a manager to waive the rule.")


def choose_closed_step(facts: Facts) -> Step:
    if facts.abandoned_in:
        return Step(
            find_last_place(facts),
            gettext("Abandoned"),
            gettext("It ended without a verdict and stays out of trends."),
            is_over=True,
        )
    if not facts.is_signed:
        return Step(
            "decision",
            gettext("Decide whether it ships"),
            gettext("The report is stored. A signed decision names its digest."),
            "sign",
            Role.MANAGER,
        )
    return Step("", gettext("Done"), gettext("The release is closed and signed."), is_over=True)


def find_last_place(facts: Facts) -> str:
    """Return the stage that an abandoned release had reached."""
    if facts.abandoned_in != Status.DRAFT:
        return "reviews" if facts.reviews_in < facts.reviews_expected else "close"
    return "sample" if facts.cases else "cases"
