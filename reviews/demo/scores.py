"""Create the reviews of the demo through the same workflow as all others."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from cases.models import Release
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.visibility import open_scores
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import judgement as desk_judgement
from reviews.desk import submission as desk_submission
from reviews.models.reviews import Answer

FILE = Path(__file__).resolve().parent / "reviews.json"
ANSWERS = {"y": Answer.YES, "n": Answer.NO, "-": Answer.NA}


def read_reviews() -> dict[str, dict[str, Any]]:
    """Read the reviews and adjudications of each release."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return found


def review(release: Release, *, now: datetime) -> None:
    """Assign and submit the reviews in the file; plan the missing assignments."""
    admin = User.objects.get(username="ada")
    people = {person.username: person for person in User.objects.all()}
    rows = read_reviews()[release.name]["reviews"]
    for row in rows:
        assignments_workflow.assign(
            release=release,
            case_key=row["case"],
            reviewer=people[row["by"]],
            user=admin,
            now=now,
        )
    assignments_workflow.assign_by_plan(
        release=release, usernames=None, per_case=None, user=admin, now=now
    )
    for row in rows:
        own = release.reviews.get(case__case_key=row["case"], reviewer=people[row["by"]])
        desk_submission.submit(
            review=own.pk,
            user=people[row["by"]],
            key="demo",
            version=own.version,
            said=desk_judgement.from_data(build_judgement(row, release)),
            now=now,
        )


def build_judgement(row: dict[str, Any], release: Release) -> dict[str, Any]:
    document = release.rubric.document
    evidence = [{"kind": "stop", "ref": ref, "text": ""} for ref in row.get("stops", [])]
    answers = row["answers"].replace(" ", "")
    return {
        "scores": {
            metric.key: {"value": value, "rationale": why, "evidence": evidence}
            for metric, value, why in zip(document.metrics, row["scores"], row["why"], strict=True)
        },
        "answers": {
            question.key: {
                "answer": ANSWERS[letter],
                "note": row.get("notes", {}).get(question.key, ""),
            }
            for question, letter in zip(document.questions, answers, strict=True)
        },
        "comment": row.get("comment", ""),
    }


def settle(release: Release, *, now: datetime) -> None:
    """Adjudicate the cases on which reviewers disagree."""
    manager = User.objects.get(username="mina")
    open_scores(release=release, user=manager, now=now)
    for row in read_reviews()[release.name]["adjudications"]:
        adjudication_workflow.adjudicate(
            release=release,
            case_key=row["case"],
            agreed=row["agreed"],
            cause=row["cause"],
            note=row["note"],
            user=manager,
            now=now,
        )
