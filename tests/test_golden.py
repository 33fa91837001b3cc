"""The nets of tests/golden: what they take out of an answer, and what they must still see."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.compare import compare_data, differences
from tests.golden.normalise import Names
from tests.golden.visitor import NoSuchForm, find_form

pytestmark = pytest.mark.sqlite

PAGE = """<main><form method="post">
<input type="hidden" name="csrfmiddlewaretoken" value="{token}">
<a  href="/reviews/{review}/">{code}</a> and <b>{score}</b></form></main>"""


def normalised(**parts: object) -> str:
    names = Names()
    names.learn(str(parts["code"]), "<code of lake>")
    return names.in_html(PAGE.format(**parts))


def test_two_answers_that_differ_only_by_chance_are_written_alike() -> None:
    first = normalised(token="a" * 64, review=7, code="B3K7Z", score=4)
    assert first == normalised(token="b" * 64, review=12, code="QW2RT", score=4)
    assert "<code of lake>" in first
    assert "<review 1>" in first


def test_a_score_that_differs_stays_in_what_is_written() -> None:
    first = normalised(token="a" * 64, review=7, code="B3K7Z", score=4)
    assert first != normalised(token="a" * 64, review=7, code="B3K7Z", score=5)


def test_rows_are_counted_in_the_order_in_which_they_appear() -> None:
    text = Names().in_text("/reviews/31/ /reviews/8/ /reviews/31/ /flags/8/")
    assert text == "/reviews/<review 1>/ /reviews/<review 2>/ /reviews/<review 1>/ /flags/<flag 1>/"


def test_a_code_is_named_only_where_it_is_a_word() -> None:
    names = Names()
    names.learn("B3K7Z", "<code>")
    assert names.in_text("/cases/B3K7Z/ B3K7Z. AB3K7Z") == "/cases/<code>/ <code>. AB3K7Z"


def test_data_keeps_figures_and_digests_and_loses_tokens() -> None:
    data = {"token": "secret", "digest": "ab" * 32, "mean": 3.25, "next": "/x/?cursor=WzFd&limit=2"}
    assert Names().in_data(data) == data | {
        "token": "<token>",
        "next": "/x/?cursor=<cursor>&limit=2",
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b: 1 -> 2"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a[1]: 2 -> (nothing)"]),
        ({}, {"a": None}, ["a: (nothing) -> null"]),
        ({"a": 1}, {"a": True}, ["a: 1 -> true"]),
        ({"a": "4"}, {"a": 4}, ['a: "4" -> 4']),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
    ],
)
def test_data_is_compared_by_its_structure(old: object, new: object, said: list[str]) -> None:
    assert list(compare_data(old, new)) == said


def test_sentences_are_ignored_only_where_both_are_texts() -> None:
    old = {"errors": [{"path": "name", "message": "Say who."}], "detail": "No."}
    new = {"errors": [{"path": "title", "message": "Name it."}], "detail": None}
    assert list(compare_data(old, new, {"message", "detail"})) == [
        'detail: "No." -> null',
        'errors[0].path: "name" -> "title"',
    ]


def test_comparing_ends_with_1_when_anything_differs(tmp_path: Path) -> None:
    for side, score in (("a", 4), ("b", 4), ("c", 5)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "call.json").write_text(json.dumps({"score": score}))
        (tmp_path / side / "page.html").write_text(f"<b>\n{score}\n</b>\n")
    (tmp_path / "c" / "more.txt").write_text("new")

    def compare(other: str) -> "subprocess.CompletedProcess[str]":
        folders = [str(tmp_path / "a"), str(tmp_path / other)]
        command = [sys.executable, "-m", "tests.golden.compare", *folders]
        return subprocess.run(command, capture_output=True, text=True)

    assert compare("b").returncode == 0
    differing = compare("c")
    assert differing.returncode == 1
    assert "score: 4 -> 5" in differing.stdout
    assert "-4" in differing.stdout
    assert "more.txt\n  is recorded for the first time" in differing.stdout
    assert len(list(differences(tmp_path / "a", tmp_path / "c"))) == 3


def test_a_form_is_found_by_its_fields_and_sent_with_what_it_holds() -> None:
    page = """<form method="post" action="/language/"><input name="next" value="/"></form>
    <form method="post"><input type="hidden" name="seen" value="x"><textarea name="text">a
b</textarea><input type="checkbox" name="tick" value="1"><input type="radio" name="pick" value="2"
checked><select name="kind"><option value="p"><option value="q" selected></select></form>"""
    form = find_form(page, {"text": "", "tick": ""}, "")
    assert form.values == {"seen": ["x"], "text": ["a\nb"], "pick": ["2"], "kind": ["q"]}
    with pytest.raises(NoSuchForm):
        find_form(page, {"next": ""}, "")
