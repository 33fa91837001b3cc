"""The practice pair: the practice case beside another plan for its request, never stored."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from cases.itinerary.format import Case, Plan
from cases.rubric import Document
from reviews.desk.practice import load_practice as load_practice_case

FOLDER = Path(__file__).parent / "practice_plans"


@dataclass(frozen=True)
class PracticePair:
    left: Case
    right: Case


@lru_cache
def load_practice(language: str) -> tuple[PracticePair, Document]:
    """Load both plans and the rubric; in English if there is no file for the language."""
    name = language if (FOLDER / f"{language}.json").exists() else "en"
    practice, document = load_practice_case(name)
    plan = msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Plan)
    return PracticePair(practice.case, msgspec.structs.replace(practice.case, plan=plan)), document
