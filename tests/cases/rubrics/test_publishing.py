"""Publishing: numbered, immutable, the same text only once."""

import threading
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from cases import rubric
from cases.models import Rubric, RubricTranslation
from cases.rubrics import workflow as rubrics_workflow
from tests.bed import soak

NOW = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
ENGLISH = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8")
CHINESE = (rubrics_workflow.SHIPPED / "zh-hans.md").read_text("utf-8")
OTHER = ENGLISH.replace("Eval Rubric", "Another Rubric")


def publish(text: str, user: User | None = None) -> rubrics_workflow.Published:
    return rubrics_workflow.publish(text=text, user=user, now=NOW)


@pytest.mark.django_db
def test_the_first_document_becomes_version_1(ada: User) -> None:
    published = publish(ENGLISH, ada)
    version = published.version
    assert (version.number, version.language, version.published_by) == (1, "en", ada)
    assert published.is_new
    assert [metric.key for metric in version.document.metrics] == [
        "usability-value",
        "personalization",
    ]
    assert version.digest == rubric.digest(version.document)


@pytest.mark.django_db
def test_the_same_text_again_is_no_new_version() -> None:
    first = publish(ENGLISH)
    again = publish("\ufeff" + ENGLISH.replace("\n", "\r\n") + "\n\n")
    assert again.version == first.version
    assert not again.is_new
    assert Rubric.objects.count() == 1


@pytest.mark.django_db
def test_an_old_text_stays_the_version_it_was_when_there_are_newer_ones() -> None:
    publish(ENGLISH)
    publish(OTHER)
    assert publish(ENGLISH).version.number == 1


@pytest.mark.django_db
def test_a_bad_document_publishes_nothing() -> None:
    with pytest.raises(rubric.RubricError):
        publish("# Title\n")
    assert not Rubric.objects.exists()


@pytest.mark.django_db
def test_a_translation_shares_the_keys_of_its_version() -> None:
    version = publish(ENGLISH).version
    rubrics_workflow.translate(
        original=version, text=CHINESE, language="zh-hans", user=None, now=NOW
    )
    chinese = version.text_for("zh-hans").document
    english = version.text_for("en").document
    assert [metric.key for metric in chinese.metrics] == [metric.key for metric in english.metrics]
    assert [kind.tags for kind in chinese.sampling.kinds] == [
        kind.tags for kind in english.sampling.kinds
    ]
    assert chinese.metrics[0].name != english.metrics[0].name


@pytest.mark.django_db
def test_somebody_whose_language_is_missing_reads_the_original() -> None:
    version = publish(ENGLISH).version
    assert version.text_for("zh-hans").language == "en"
    assert version.text_for(None).language == "en"


@pytest.mark.django_db
def test_the_original_is_read_without_a_query_and_a_translation_with_one() -> None:
    version = publish(ENGLISH).version
    rubrics_workflow.translate(
        original=version, text=CHINESE, language="zh-hans", user=None, now=NOW
    )
    again = Rubric.objects.get()
    with CaptureQueriesContext(connection) as asked:
        assert again.text_for("en") is again
        assert len(asked) == 0
        assert again.text_for("zh-hans").language == again.text_for("zh-hans").language == "zh-hans"
        assert len(asked) == 1


@pytest.mark.django_db
def test_the_same_translation_again_changes_nothing_and_another_is_refused() -> None:
    version = publish(ENGLISH).version

    def translate(text: str) -> rubrics_workflow.Published:
        return rubrics_workflow.translate(
            original=version, text=text, language="zh-hans", user=None, now=NOW
        )

    assert translate(CHINESE).is_new
    assert not translate(CHINESE).is_new
    with pytest.raises(rubrics_workflow.OtherTextExists, match="already has another text"):
        translate(CHINESE.replace("评", "审", 1))
    assert RubricTranslation.objects.count() == 1


@pytest.mark.django_db
def test_a_translation_into_the_versions_own_language_is_refused() -> None:
    version = publish(ENGLISH).version
    with pytest.raises(rubrics_workflow.OtherTextExists):
        rubrics_workflow.translate(
            original=version, text=ENGLISH, language="en", user=None, now=NOW
        )


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Rubric, RubricTranslation])
def test_the_database_refuses_to_change_a_published_text(
    model: type[Rubric] | type[RubricTranslation],
) -> None:
    rubrics_workflow.publish_shipped(now=NOW)
    with pytest.raises(IntegrityError, match="cannot be changed"), transaction.atomic():
        model.objects.update(text="something else")


@pytest.mark.django_db
def test_the_shipped_rubric_can_be_published_again_without_harm() -> None:
    rubrics_workflow.publish_shipped(now=NOW)
    assert not rubrics_workflow.publish_shipped(now=NOW).is_new
    assert (Rubric.objects.count(), RubricTranslation.objects.count()) == (1, 1)


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_people_who_publish_at_the_same_moment_get_different_numbers() -> None:
    """Four texts, each published by two people at once: four versions, each number told twice."""
    rounds = soak.size(short=3, long=200)
    bad = []
    for number in range(rounds):
        texts = [ENGLISH.replace("Eval Rubric", f"Rubric {number}.{n % 4}") for n in range(8)]
        told = publish_all_at_once(texts)
        first = 4 * number + 1
        if sorted(told) != sorted(2 * list(range(first, first + 4))):
            bad.append(told)
    soak.report("8 people publish 4 texts at once", tried=rounds, bad=len(bad))
    assert bad == []
    assert Rubric.objects.count() == 4 * rounds


def publish_all_at_once(texts: list[str]) -> list[int]:
    start, told = threading.Barrier(len(texts)), []

    def run(text: str) -> None:
        try:
            start.wait()
            told.append(publish(text).version.number)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told
