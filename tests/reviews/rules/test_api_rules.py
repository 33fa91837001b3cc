"""The calls for rules: who may, what they answer, what they refuse."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases.models import Rubric, Rule
from cases.rules.queries import export_rules
from tests.bed import reviewed
from tests.bed.api import by, code, problems
from tests.bed.cases import database_digest, make_release
from tests.bed.rules import OVER_LUNCH, QUESTION, propose

HERE = "products/wanderer/rules/"
NEW: dict[str, Any] = {
    "topic": "meals",
    "fact": "meal-over-visit",
    "question": QUESTION,
    "rubric": 1,
    "reason": "Said in May.",
}


@pytest.fixture(autouse=True)
def pool(rubric: Rubric) -> None:
    release = reviewed.filled()
    reviewed.bring(release, reviewed.row("kids", "family", plan=OVER_LUNCH))


def test_a_manager_proposes_a_rule_and_it_is_counted(mina: User) -> None:
    limit = {"param": "count", "at_least": 1}
    answer = by(mina).post(HERE, NEW | {"thresholds": [limit], "tags": ["Family"]})
    assert answer.status_code == 201
    found = answer.json()
    assert found | {"proposed_at": None, "digest": ""} == {
        "product": "wanderer",
        "key": "meal-over-visit",
        "version": 1,
        "state": "proposed",
        "topic": "meals",
        "fact": "meal-over-visit",
        "thresholds": [{"param": "count", "at_least": 1.0, "at_most": None}],
        "tags": ["family"],
        "question": QUESTION,
        "rubric": 1,
        "reason": "Said in May.",
        "proposed_at": None,
        "by": "mina",
        "digest": "",
        "hits": 1,
    }


def test_proposing_again_answers_with_the_same_rule(mina: User) -> None:
    first = by(mina).post(HERE, NEW)
    before = database_digest()
    again = by(mina).post(HERE, NEW)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert database_digest() == before


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"fact": "meal-over-moon"}, "fact"),
        ({"question": "usability-value.99"}, "question"),
        ({"thresholds": [{"param": "moons", "at_least": 1}]}, "thresholds"),
        ({"thresholds": [{"param": "count"}]}, "thresholds"),
        ({"tags": ["a\x00b"]}, "tags[0]"),
        ({"key": "no-such-rule"}, "key"),
        ({"topic": "moon"}, "topic"),
        ({"other": 1}, "other"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_path(
    mina: User, changes: dict[str, Any], path: str
) -> None:
    answer = by(mina).post(HERE, NEW | changes)
    assert answer.status_code == 400
    assert set(problems(answer)) == {path}
    assert not Rule.objects.exists()


def test_one_rule_comes_with_its_trial(ada: User) -> None:
    propose()
    found = by(ada).get(f"{HERE}meal-over-visit/").json()
    trial = found["trial"]
    assert trial["advice"] == "few-reads"
    assert trial["with_fact"] == {"count": 0, "total": 0, "low": 0.0, "high": 1.0}
    assert trial["flagged"] == [{"release": "wanderer-1", "passed": 8, "flagged": 1}]
    lost = [kind["kind"] for kind in trial["kinds"] if kind["is_lost"]]
    assert lost == [reviewed.KIND_OF["kids"]]


def test_adopting_says_before_that_a_kind_would_be_left_empty(mina: User) -> None:
    propose()
    answer = by(mina).post(f"{HERE}meal-over-visit/adopt/")
    assert code(answer) == (409, "leaves_kinds_empty")
    answer = by(mina).post(f"{HERE}meal-over-visit/adopt/", {"confirm": True})
    assert (answer.status_code, answer.json()["state"]) == (200, "adopted")
    answer = by(mina).post(f"{HERE}meal-over-visit/shadow/")
    assert code(answer) == (409, "cannot_move")
    answer = by(mina).post(f"{HERE}meal-over-visit/retire/", {"version": 1})
    assert answer.json()["state"] == "retired"


def test_rules_json_is_that_of_the_command(mina: User, ada: User) -> None:
    propose()
    by(mina).post(f"{HERE}meal-over-visit/adopt/", {"confirm": True})
    answer = by(ada).get(f"{HERE}export/")
    assert answer.content == export_rules("wanderer")
    assert [rule["key"] for rule in json.loads(answer.content)["rules"]] == ["meal-over-visit"]


def test_the_list_can_be_narrowed_to_a_state(ada: User) -> None:
    propose()
    assert len(by(ada).get(HERE).json()["results"]) == 1
    assert by(ada).get(f"{HERE}?state=adopted").json()["results"] == []


def test_a_product_with_a_slash_and_chinese_words_has_rules(mina: User) -> None:
    make_release("odd-1", product="行程/规划 1")
    answer = by(mina).post("products/%E8%A1%8C%E7%A8%8B/%E8%A7%84%E5%88%92%201/rules/", NEW)
    assert answer.json()["product"] == "行程/规划 1"


@pytest.mark.parametrize(
    "address", ["products/nobody/rules/", f"{HERE}no-such/", f"{HERE}x/adopt/"]
)
def test_what_is_not_there_is_not_found(mina: User, address: str) -> None:
    ask = by(mina).post if address.endswith("adopt/") else by(mina).get
    assert ask(address).status_code == 404


def test_admins_read_and_managers_act(ada: User, rita: User, sam: User) -> None:
    propose()
    for address in (HERE, f"{HERE}meal-over-visit/", f"{HERE}export/"):
        assert by(ada).get(address).status_code == 200
        assert by(rita).get(address).status_code == 403
        assert by(sam).get(address).status_code == 404
    for act in ("shadow", "adopt", "retire"):
        assert by(ada).post(f"{HERE}meal-over-visit/{act}/").status_code == 403
    assert by(ada).post(HERE, NEW).status_code == 403
