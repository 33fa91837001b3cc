"""Which verdicts 5, 10, 20 and 40 cases can support.

`python -m tests.bed.evidence_tables` prints the tables that docs/verdict.md shows.
"""

from math import ceil, sqrt

from scipy.special import fdtri

from reviews.agreement.results import t_quantile
from reviews.comparison import detectable_in_sds

CASES = (5, 10, 20, 40)
SPREADS = (0.5, 0.75, 1.0)
FLOOR, MARGIN, WITHIN = 3.0, 0.5, 0.8
ENOUGH_SHARED = 10


def reach(cases: int, sd: float) -> float:
    """Half of the width of the t interval."""
    return t_quantile(cases - 1) * sd / sqrt(cases)


def alpha_needed(cases: int, limit: float) -> float:
    """With two reviews a case: the coefficient whose lower limit, by the F interval, is this."""
    ratio = (1 + limit) / (1 - limit) * float(fdtri(cases - 1, cases, 0.975))
    return (ratio - 1) / (ratio + 1)


def floors() -> list[list[str]]:
    head = ["cases", *(f"interval, SD {sd}" for sd in SPREADS)]
    head += [f"mean needed, SD {sd}" for sd in SPREADS]
    rows = [
        [
            str(cases),
            *(f"±{reach(cases, sd):.2f}" for sd in SPREADS),
            *(f"{FLOOR + reach(cases, sd):.2f}" for sd in SPREADS),
        ]
        for cases in CASES
    ]
    return [head, *rows]


def changes() -> list[list[str]]:
    head = ["shared cases", "smallest change seen, SD 0.5", "SD 0.75", "SD 1.0"]
    head += ["no regression needs, SD 0.5", "SD 0.75", "SD 1.0", "smallest p possible"]
    rows = []
    for cases in CASES:
        seen = [f"{detectable_in_sds(cases) * sd:.2f}" for sd in SPREADS]
        is_asked = cases >= ENOUGH_SHARED
        needed = [f"{reach(cases, sd) - MARGIN:+.2f}" if is_asked else "–" for sd in SPREADS]
        rows.append([str(cases), *seen, *needed, f"{2.0 ** (1 - cases):.1g}"])
    return [head, *rows]


def agreement() -> list[list[str]]:
    head = ["cases x 2", "may lie apart", "alpha for “tentative”", "alpha for “rely on it”"]
    rows = [
        [
            str(cases),
            str(cases - ceil(round(cases * WITHIN, 9))),
            f"{alpha_needed(cases, 0.667):.2f}",
            f"{alpha_needed(cases, 0.800):.2f}",
        ]
        for cases in CASES
    ]
    return [head, *rows]


def markdown(table: list[list[str]]) -> str:
    head, *rows = table
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def tables() -> list[str]:
    return [markdown(floors()), markdown(changes()), markdown(agreement())]


if __name__ == "__main__":
    print("\n\n".join(tables()))
