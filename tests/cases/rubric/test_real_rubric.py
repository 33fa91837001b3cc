"""The team's own document, as they wrote it. It is not ours, so it is read from beside us."""

import os
from pathlib import Path

import pytest

from cases import rubric
from cases.rubrics.workflow import SHIPPED


@pytest.fixture
def original() -> str:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the team's own document is not at hand")
    return (Path(folder).parent / "eval_rubric.md").read_text("utf-8")


def test_the_unmodified_document_is_read_and_round_trips(original: str) -> None:
    reading = rubric.read(original)
    document = reading.document
    assert reading.warnings == ()
    assert [len(metric.levels) for metric in document.metrics] == [6, 6]
    assert [len(metric.checklist) for metric in document.metrics] == [4, 4]
    assert (document.sampling.minimum, len(document.sampling.kinds)) == (5, 5)
    again = rubric.read(rubric.write(document)).document
    assert rubric.digest(again) == rubric.digest(document)


def test_the_chinese_translation_fits_it(original: str) -> None:
    chinese = (SHIPPED / "zh-hans.md").read_text("utf-8")
    document = rubric.read(original).document
    translation = rubric.translated(document, chinese).document
    assert [metric.key for metric in translation.metrics] == [
        metric.key for metric in document.metrics
    ]


def test_the_shipped_rubric_is_the_same_text_with_tags(original: str) -> None:
    shipped = (SHIPPED / "en.md").read_text("utf-8").split("\n")
    theirs = original.split("\n")
    different = [
        (ours, their) for ours, their in zip(shipped, theirs, strict=True) if ours != their
    ]
    assert len(different) == 5
    assert all(ours.startswith(f"{their} `") for ours, their in different)
