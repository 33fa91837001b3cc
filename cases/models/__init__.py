"""Models of releases, ledgers, cases, imports and rubrics."""

from cases.models.cases import Case, CaseTag, Exclusion
from cases.models.imports import Batch, Replaced, Upload
from cases.models.ledgers import Ledger, LedgerEvent
from cases.models.releases import Event, Release
from cases.models.rubrics import Rubric, RubricText, RubricTranslation
from cases.models.rules import Rule, RuleHit, RuleState

__all__ = [
    "Batch",
    "Case",
    "CaseTag",
    "Event",
    "Exclusion",
    "Ledger",
    "LedgerEvent",
    "Release",
    "Replaced",
    "Rubric",
    "RubricText",
    "RubricTranslation",
    "Rule",
    "RuleHit",
    "RuleState",
    "Upload",
]
