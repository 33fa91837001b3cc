"""The command `load_rubric`."""

from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from cases.models import Rubric, RubricTranslation
from cases.rubrics.workflow import SHIPPED


@pytest.fixture
def english(tmp_path: Path) -> Path:
    file = tmp_path / "rubric.md"
    file.write_bytes((SHIPPED / "en.md").read_bytes())
    return file


def load(*arguments: object) -> str:
    out = StringIO()
    call_command("load_rubric", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


@pytest.mark.django_db
def test_it_publishes_and_says_what_it_read(english: Path) -> None:
    said = load(english)
    assert "Rubric version 1 (en): published." in said
    assert "usability-value (6 levels, 4 questions)" in said
    assert "at least 5 cases, 5 kinds" in said
    assert "nothing changed" in load(english)
    assert Rubric.objects.count() == 1


@pytest.mark.django_db
def test_it_adds_a_translation(english: Path) -> None:
    load(english)
    said = load(SHIPPED / "zh-hans.md", "--translates", 1, "--language", "zh-hans")
    assert "version 1 (zh-hans): published" in said
    assert RubricTranslation.objects.get().rubric.number == 1


@pytest.mark.django_db
def test_a_bad_document_is_refused_with_file_and_line(english: Path) -> None:
    text = english.read_text("utf-8")
    lines = text.splitlines()
    level = next(n for n, line in enumerate(lines) if line.startswith("- `3`"))
    heading = next(n for n, line in enumerate(lines) if "Metric 1" in line)
    english.write_text("\n".join(lines[:level] + lines[level + 1 :]), "utf-8")
    with pytest.raises(CommandError, match=f"rubric.md:{heading + 1}: .*3"):
        load(english)
    assert not Rubric.objects.exists()


@pytest.mark.django_db
def test_of_very_many_problems_the_first_are_shown_and_all_counted(english: Path) -> None:
    text = english.read_text("utf-8")
    stray = "".join("- `7`: too high\n" for _ in range(300))
    english.write_text(text.replace("- `0`: Not usable", stray + "- `0`: Not usable"), "utf-8")
    with pytest.raises(CommandError) as refused:
        load(english)
    lines = str(refused.value).splitlines()
    assert len(lines) == 201
    assert "the first 200 shown" in lines[-1]


@pytest.mark.django_db
def test_a_translation_with_a_question_too_few_is_refused(english: Path, tmp_path: Path) -> None:
    load(english)
    lines = (SHIPPED / "zh-hans.md").read_text("utf-8").splitlines()
    question = next(n for n, line in enumerate(lines) if line.endswith(("？", "?")))
    short = tmp_path / "short.md"
    short.write_text("\n".join(lines[:question] + lines[question + 1 :]), "utf-8")
    with pytest.raises(CommandError, match="3"):
        load(short, "--translates", 1, "--language", "zh-hans")
    assert not RubricTranslation.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--translates", 7], "There is no rubric version 7."),
        (["--by", "nobody"], "No active person is called nobody."),
    ],
)
def test_what_does_not_exist_is_named(english: Path, arguments: list[object], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        load(english, *arguments)


@pytest.mark.django_db
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        load(tmp_path / "none.md")
    latin = tmp_path / "latin.md"
    latin.write_bytes("# Titel für alle".encode("latin-1"))
    with pytest.raises(CommandError, match="not UTF-8 text"):
        load(latin)


@pytest.mark.django_db
def test_it_records_who_published(english: Path, ada: User) -> None:
    load(english, "--by", "ada")
    assert Rubric.objects.get().published_by == ada
