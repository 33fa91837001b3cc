"""The pages of rules: choosing a fact, proposing, the back-test, moving, downloading."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Rubric, Rule, RuleHit
from cases.rules.examples import MOST_READ
from cases.rules.queries import export_rules
from tests.bed import escapes, reviewed
from tests.bed.cases import database_digest
from tests.bed.escapes import says
from tests.bed.rules import OVER_LUNCH, QUESTION, lunch_rule, propose
from tests.people import AsUser

HERE = "/products/wanderer/rules/"
RULE = f"{HERE}meal-over-visit/"
FORM = f"{HERE}new/?fact=meals/meal-over-visit"


@pytest.fixture(autouse=True)
def pool(rubric: Rubric) -> None:
    release = reviewed.filled()
    reviewed.bring(release, reviewed.row("kids", "family", plan=OVER_LUNCH))


def text(client: Client, address: str, status: int = 200, **data: Any) -> str:
    answer = client.post(address, data) if data else client.get(address)
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_a_fact_is_chosen_by_an_example_from_the_products_own_plans(
    as_user: AsUser, mina: User
) -> None:
    page = text(as_user(mina), f"{HERE}new/")
    assert "Found in 8 passed plans of wanderer-1:" in page
    assert 'A meal lies over a visit on day 1: <bdi lang="en">Copper Mill</bdi>.' in page
    assert "1 of 8" in page
    assert "fact=meals/meal-over-visit" in page


def test_the_form_knows_the_question_and_the_numbers_of_the_plans(
    as_user: AsUser, mina: User
) -> None:
    page = text(as_user(mina), FORM)
    assert f'<option value="{QUESTION}" selected>' in page
    assert "1 in these plans" in page


def test_a_rule_is_proposed_with_its_limits_and_tags(as_user: AsUser, mina: User) -> None:
    given = {
        "question": QUESTION,
        "least-count": "1",
        "tags": "Family， ",
        "reason": "Said in May.",
    }
    answer = as_user(mina).post(FORM, given)
    assert (answer.status_code, answer["Location"]) == (302, RULE)
    rule = Rule.objects.get()
    assert rule.definition == {
        "topic": "meals",
        "fact": "meal-over-visit",
        "question": QUESTION,
        "thresholds": [{"param": "count", "at_least": 1.0}],
        "tags": ["family"],
    }
    assert (rule.by, rule.reason) == ("mina", "Said in May.")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"question": "none.1"}, "Select a valid choice"),
        ({"least-count": "many"}, "Enter a number"),
        ({"least-count": "3", "most-count": "2"}, "This is less than"),
        ({"tags": "x" * 90}, "a tag is one line of at most 80 characters"),
    ],
)
def test_mistakes_are_named_and_nothing_is_written(
    as_user: AsUser, mina: User, given: dict[str, str], sentence: str
) -> None:
    assert sentence in text(as_user(mina), FORM, 422, **({"question": QUESTION} | given))
    assert not Rule.objects.exists()


def test_the_next_version_starts_from_the_one_before(as_user: AsUser, mina: User) -> None:
    client = as_user(mina)
    propose()
    client.post(f"{RULE}move/", {"to": "adopted", "confirm": "yes"})
    page = text(client, f"{HERE}new/?key=meal-over-visit")
    assert f'<option value="{QUESTION}" selected>' in page
    client.post(f"{HERE}new/?key=meal-over-visit", {"question": QUESTION, "least-count": "2"})
    assert [str(rule) for rule in Rule.objects.order_by("version")] == [
        "meal-over-visit v1",
        "meal-over-visit v2",
    ]


def test_the_page_says_what_it_found_and_what_it_would_do(as_user: AsUser, ada: User) -> None:
    propose()
    page = text(as_user(ada), RULE)
    assert "Too few reads: at least 5 cases with the fact must be read." in page
    assert "It would flag 1 of 8 plans that passed the checks." in page
    assert "how many bad plans it misses" in page
    assert 'A meal lies over a visit on day 1: <bdi lang="en">Copper Mill</bdi>.' in page
    assert '<strong class="warn">none</strong>' in page


def test_the_back_test_is_shown_with_its_intervals(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    no = says(no=[QUESTION])
    closed = escapes.closed([rita, omar], {"feast": [no, no]}, "wanderer-2")
    rule = propose()
    RuleHit.objects.create(rule=rule, case=closed.cases.get(case_key="feast"), hits="[]")
    page = text(as_user(ada), RULE)
    assert "1 of 1, 100 % (21 to 100 %)" in page
    assert "0 of 4, 0 % (0 to 49 %)" in page
    assert "Read in wanderer-2." in page


def test_adopting_needs_a_word_if_a_kind_would_be_left_empty(as_user: AsUser, mina: User) -> None:
    client = as_user(mina)
    propose()
    before = database_digest()
    refused = text(client, f"{RULE}move/", 409, to="adopted")
    assert "Confirm to adopt it all the same." in refused
    assert "Family/parent-child case" in refused
    assert database_digest() == before
    answer = client.post(f"{RULE}move/", {"to": "adopted", "confirm": "yes"}, follow=True)
    assert "meal-over-visit v1 is now adopted." in answer.content.decode()
    download = client.get(f"{HERE}rules.json")
    assert download.content == export_rules("wanderer")
    assert download["Content-Disposition"] == 'attachment; filename="rules.json"'


@pytest.mark.parametrize("to", ["", "moon", "proposed"])
def test_a_move_that_does_not_exist_is_refused(as_user: AsUser, mina: User, to: str) -> None:
    propose()
    answer = as_user(mina).post(f"{RULE}move/?version=1", {"to": to})
    assert answer.status_code == (404 if to != "proposed" else 302)
    assert Rule.objects.get().state == "proposed"


@pytest.mark.parametrize("address", ["/products/no/rules/", f"{HERE}no-such/", f"{RULE}?version=7"])
def test_what_is_not_there_is_not_found(as_user: AsUser, mina: User, address: str) -> None:
    propose()
    assert as_user(mina).get(address).status_code == 404


def test_the_short_address_leads_to_the_newest_product(as_user: AsUser, mina: User) -> None:
    client = as_user(mina)
    assert client.get("/rules/")["Location"] == HERE
    assert "Give a release its product first" in text(client, "/rules/?product=nobody")


def test_admins_read_managers_act_and_reviewers_see_nothing(
    as_user: AsUser, ada: User, rita: User
) -> None:
    propose()
    pages = ["/rules/?product=wanderer", HERE, RULE, f"{HERE}rules.json"]
    for address in pages:
        assert as_user(ada).get(address).status_code in (200, 302)
        assert as_user(rita).get(address).status_code == 403
    assert as_user(ada).get(f"{HERE}new/").status_code == 403
    assert as_user(ada).post(f"{RULE}move/", {"to": "shadow"}).status_code == 403
    assert "Propose" not in text(as_user(ada), HERE).replace("proposed", "").replace("Proposed", "")


def count_queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_more_rules_hits_and_releases_need_no_more_queries(as_user: AsUser, mina: User) -> None:
    client = as_user(mina)
    propose()
    counts = {address: count_queries(client, address) for address in (HERE, RULE)}
    for number in range(2, 5):
        more = reviewed.filled(f"wanderer-{number}")
        plans = [reviewed.row(f"new-{place}", plan=OVER_LUNCH) for place in range(5)]
        reviewed.bring(more, *plans)
    for number in range(3):
        propose(lunch_rule(tags=(f"tag-{number}",)))
    assert {address: count_queries(client, address) for address in (HERE, RULE)} == counts


def test_a_large_pool_is_not_read_whole(as_user: AsUser, mina: User) -> None:
    release = reviewed.filled("wanderer-9")
    reviewed.bring(release, *(reviewed.row(f"more-{n}") for n in range(MOST_READ)))
    assert f"Found in {MOST_READ} passed plans of wanderer-9:" in text(as_user(mina), f"{HERE}new/")
