"""Models of reviews, samples, people and outcomes."""

from reviews.models.escapes import Escape, Sighting
from reviews.models.notices import Notice, NoticeCursor, Subscription
from reviews.models.outcomes import Adjudication, Closing, Decision, MirrorLook, Waiver
from reviews.models.pairings import PairAnswer, Pairing, PairRevision, PairSubmission
from reviews.models.people import Absence, Reminder, Reviewer
from reviews.models.questions import Question, Ruling
from reviews.models.reviews import (
    ChecklistAnswer,
    Flag,
    Review,
    Revision,
    Score,
    Submission,
)
from reviews.models.samples import Draw, LastLook, SampledCase

__all__ = [
    "Absence",
    "Adjudication",
    "ChecklistAnswer",
    "Closing",
    "Decision",
    "Draw",
    "Escape",
    "Flag",
    "LastLook",
    "MirrorLook",
    "Notice",
    "NoticeCursor",
    "PairAnswer",
    "PairRevision",
    "PairSubmission",
    "Pairing",
    "Question",
    "Reminder",
    "Review",
    "Reviewer",
    "Revision",
    "Ruling",
    "SampledCase",
    "Score",
    "Sighting",
    "Submission",
    "Subscription",
    "Waiver",
]
