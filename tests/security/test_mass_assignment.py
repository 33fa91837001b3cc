"""Sends the name of every column to every writing call, as every person.

Only what the contract names is taken: any other name is refused by name, and what a call that
succeeds has changed is compared with the database before it, column by column.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, transaction
from rest_framework.exceptions import ValidationError

from cases.itinerary.format import Case
from cases.releases.policy import Policy
from evalsite.api import owned
from evalsite.api.errors import list_problems
from evalsite.api.serializers import Serializer
from evalsite.api.viewsets import ViewSet
from evalsite.permissions import READ, ROUTES, Answer, Role, answer_for, find_roles, is_for_scripts
from reviews.desk import api as desk_api
from reviews.desk import workflow as desk_workflow
from reviews.models import Escape, Pairing, Question, Review
from reviews.pairings import api as pairings_api
from reviews.pairings import judgement as pair_judgement
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import escapes, pairs, reviewed, rules
from tests.bed.api import NDJSON, Script, by, code, problems
from tests.bed.cases import NOW, lines
from tests.people import PASSWORD, make_person
from tests.reviews.desk.desk import body
from tests.security import stages

WHO = ("anonymous", "sam", "rita", "ada", "mina", "root")


@dataclass(frozen=True)
class Writing:
    """A writing call with its allowed keys and the columns it changes."""

    route: str
    address: str
    by: str
    body: Any
    names: set[str]
    changes: set[str]
    method: str = "POST"
    more: dict[str, str] = field(default_factory=dict)


LATER = NOW + timedelta(hours=1)
DRAFT, DRAWN, OPEN, CLOSED = "a-draft", "a-drawn", "an-open", "a-closed"
# All its reviews are in.
LOOKED = "a-looked-at"
OF_A_RELEASE = {"product", "rubric", "reviews_per_case", "baseline", "due_date", "policy"}
# Accepted only with their stored values.
FIXED = {"name", "status", "created_at", "is_archived"}
EVENT = {"+event", "release.ledger_head", "release.ledger_length"}
EVENT_OF_PRODUCT = {"+ledgerevent", "ledger.ledger_head", "ledger.ledger_length"}
WITHDRAWN = {"sampledcase.withdrawn_at", "sampledcase.withdrawal_reason", "sampledcase.cause"}
SAVED = {"review.draft", "review.version", "review.saved_at", "review.status"}
SUBMITTED = {"review.submitted_at", "+submission", "+score", "+checklistanswer"}
PAIRED = "a-paired"
PAIR_SUBMITTED = {
    *("pairing.status", "pairing.version", "pairing.draft", "pairing.newer", "pairing.saved_at"),
    *("pairing.submitted_at", "+pairanswer", "+pairsubmission"),
}
SAID = {"version", "scores", "answers", "comment", "flags", "active_seconds"}


def writing() -> list[Writing]:
    mine = Review.objects.get(reviewer__username="rita", status="assigned").pk
    begun = Review.objects.get(reviewer__username="rita", version=2).pk
    first, second, third = Pairing.objects.order_by("pk").values_list("pk", flat=True)[:3]
    return [
        Writing(
            "api-token",
            "auth/token/",
            "anonymous",
            {"username": "rita", "password": PASSWORD},
            {"username", "password"},
            {"+apitoken"},
        ),
        Writing(
            "api-releases",
            "releases/",
            "ada",
            {"name": "new"},
            {"name", *OF_A_RELEASE},
            {"+release", "+event"},
        ),
        Writing(
            "api-release",
            f"releases/{DRAFT}/",
            "ada",
            {"product": "Wanderer"},
            OF_A_RELEASE | FIXED,
            {"release.product", *EVENT},
            method="PATCH",
        ),
        Writing(
            "api-sample-draw",
            f"releases/{DRAFT}/sample/draw/",
            "ada",
            {"size": 5},
            {"size"},
            {"+draw", "+sampledcase", *EVENT},
        ),
        Writing(
            "api-sample-swap",
            f"releases/{DRAWN}/sample/swap/",
            "ada",
            {"out": "kids", "in": "spare-1", "reason": "As in May."},
            {"out", "in", "reason"},
            {"-sampledcase", "+sampledcase", *EVENT},
        ),
        Writing(
            "api-sample-extend",
            f"releases/{LOOKED}/sample/extend/",
            "ada",
            {"look": 2},
            {"look"},
            {"+sampledcase", "+review", *EVENT},
        ),
        Writing(
            "api-sample-withdraw",
            f"releases/{OPEN}/sample/withdraw/",
            "ada",
            {"case_key": "rush", "reason": "Cut off."},
            {"case_key", "reason", "cause"},
            {"+sampledcase", *WITHDRAWN, *EVENT},
        ),
        Writing(
            "api-start",
            f"releases/{DRAWN}/start/",
            "ada",
            {},
            set(),
            {"release.status", "release.policy", *EVENT},
        ),
        Writing(
            "api-close",
            f"releases/{OPEN}/close/",
            "mina",
            {"waive": ["reviews", "adjudications"], "reason": "Time."},
            {"waive", "abandon", "reason"},
            {"release.status", "+closing", "+waiver", *EVENT, *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-reopen",
            f"releases/{CLOSED}/reopen/",
            "mina",
            {"reason": "A flag was missed."},
            {"reason"},
            {"release.status", "closing.reopened_at", *EVENT, *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-waive",
            f"releases/{OPEN}/waive/",
            "mina",
            {"rule": "reviews", "reason": "Wei is ill."},
            {"rule", "reason", "cases"},
            {"+waiver", *EVENT},
        ),
        Writing(
            "api-decision",
            f"releases/{CLOSED}/decision/",
            "mina",
            {"decision": "ship", "reason": "Fine."},
            {"decision", "reason", "digest"},
            {"+decision", *EVENT},
        ),
        Writing(
            "api-assignments",
            f"releases/{OPEN}/assignments/",
            "ada",
            {"reviewers": ["rita", "omar"]},
            {"reviewers", "per_case", "dry_run"},
            {"+review", *EVENT},
        ),
        Writing(
            "api-assignment-move",
            f"releases/{OPEN}/assignments/move/",
            "ada",
            {"case_key": "kids", "from": "rita", "to": "omar"},
            {"case_key", "from", "to"},
            {"review.status", "+review", *EVENT},
        ),
        Writing(
            "api-assignment-withdraw",
            f"releases/{OPEN}/assignments/withdraw/",
            "ada",
            {"case_key": "kids", "reviewer": "rita", "reason": "On leave."},
            {"case_key", "reviewer", "reason"},
            {"review.status", *EVENT},
        ),
        Writing(
            "api-assignment-remind",
            f"releases/{OPEN}/assignments/remind/",
            "ada",
            {"reviewer": "rita"},
            {"reviewer"},
            {"+reminder", *EVENT},
        ),
        Writing(
            "api-assignment-give-back",
            f"releases/{OPEN}/assignments/give-back/",
            "ada",
            {"case_key": "rush", "reviewer": "omar", "answer": "Score it as it is."},
            {"case_key", "reviewer", "answer"},
            {
                *("review.status", "review.declined_for", "review.decline_reason"),
                *("review.given_back", *EVENT),
            },
        ),
        Writing(
            "api-question-answer",
            f"questions/{Question.objects.get().pk}/answer/",
            "ada",
            {"text": "Tea is a drink."},
            {"text", "look_again", "supersedes"},
            {"+ruling", *EVENT},
        ),
        Writing(
            "api-adjudications",
            f"releases/{OPEN}/adjudications/",
            "ada",
            {
                "case_key": "feast",
                "agreed": dict.fromkeys(reviewed.METRICS, 3),
                "cause": "taste",
                "note": "Read again.",
            },
            {"case_key", "agreed", "cause", "note", "seen", "together"},
            {"+adjudication", *EVENT},
        ),
        Writing(
            "api-review-draft",
            f"reviews/{mine}/draft/",
            "rita",
            body(),
            SAID,
            SAVED,
            method="PUT",
        ),
        Writing(
            "api-review-submit",
            f"reviews/{mine}/submit/",
            "rita",
            body(),
            {*SAID, "coherence", "reason"},
            {*SAVED, *SUBMITTED, *EVENT},
            more={"Idempotency_Key": "a-key"},
        ),
        Writing(
            "api-escape-move",
            "escapes/move/",
            "ada",
            {
                "product": "wanderer",
                "escapes": [Escape.objects.get().pk],
                "state": "rule",
                "reason": "Commit 4711.",
                "rule": "short-gap",
            },
            {"product", "escapes", "state", "reason", "rule"},
            {"escape.state", "escape.rule", "escape.event_id", *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-rules",
            "products/wanderer/rules/",
            "mina",
            {
                "topic": "meals",
                "fact": "meal-over-meal",
                "question": rules.QUESTION,
                "rubric": 1,
                "thresholds": [{"param": "count", "at_least": 2, "at_most": None}],
                "tags": ["family"],
                "key": "",
                "reason": "Said in May.",
            },
            {"topic", "fact", "question", "rubric", "thresholds", "tags", "key", "reason"},
            {"+rule", *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-rule-shadow",
            "products/wanderer/rules/meal-over-visit/shadow/",
            "mina",
            {"version": 1},
            {"version"},
            {"rule.state", *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-rule-adopt",
            "products/wanderer/rules/meal-over-visit/adopt/",
            "mina",
            {"version": 1, "confirm": True},
            {"version", "confirm"},
            {"rule.state", *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-rule-retire",
            "products/wanderer/rules/meal-over-visit/retire/",
            "mina",
            {"version": 1},
            {"version"},
            {"rule.state", *EVENT_OF_PRODUCT},
        ),
        Writing(
            "api-review-discard",
            f"reviews/{begun}/discard/",
            "rita",
            {"version": 2},
            {"version"},
            {"review.draft", "review.version", "review.saved_at"},
        ),
        Writing(
            "api-review-ask",
            f"reviews/{mine}/ask/",
            "rita",
            {"subject": reviewed.ITEMS[0], "text": "Is tea a meal?"},
            {"subject", "text"},
            {"+question", *EVENT},
        ),
        Writing(
            "api-review-decline",
            f"reviews/{mine}/decline/",
            "rita",
            {"reason": "I know the author."},
            {"reason", "cause"},
            {"review.status", "review.declined_for", "review.decline_reason", *EVENT},
        ),
        Writing(
            "api-release-pairings",
            f"releases/{PAIRED}/pairings/",
            "ada",
            {"reviewers": ["omar"]},
            {"reviewers", "per_case", "dry_run"},
            {"+pairing", *EVENT},
        ),
        Writing(
            "api-pairing-draft",
            f"pairings/{first}/draft/",
            "rita",
            {"version": 0, "newer": "left"},
            {"version", "steps", "sides", "newer"},
            {"pairing.draft", "pairing.version", "pairing.saved_at", "pairing.status"},
            method="PUT",
        ),
        Writing(
            "api-pairing-submit",
            f"pairings/{second}/submit/",
            "rita",
            {"version": 0, **pair_judgement.to_data(pairs.say())},
            {"version", "steps", "sides", "newer"},
            {*PAIR_SUBMITTED, *EVENT},
            more={"Idempotency_Key": "k"},
        ),
        Writing(
            "api-pairing-decline",
            f"pairings/{third}/decline/",
            "rita",
            {"reason": "I know the author."},
            {"reason"},
            {"pairing.status", "pairing.decline_reason", *EVENT},
        ),
        Writing(
            "api-release-pairing-take-back",
            f"releases/{PAIRED}/pairings/take-back/",
            "ada",
            {"reviewers": ["rita"], "reason": "Away."},
            {"reviewers", "reason"},
            {"pairing.status", *EVENT},
        ),
    ]


# Their bodies are texts: a document, and cases, whose further fields are kept as such.
TEXTS = {"api-rubrics", "api-cases"}


def set_up() -> None:
    rita, omar, _wei = (make_person(name, Role.REVIEWER) for name in ("rita", "omar", "wei"))
    make_person("ada", Role.ADMIN)
    make_person("mina", Role.MANAGER)
    make_person("sam")
    User.objects.create_superuser("root", password=PASSWORD)
    opened = reviewed.started(OPEN)
    rubric = opened.rubric
    reviewed.filled(DRAFT, rubric=rubric)
    reviewed.drawn(DRAWN, rubric=rubric)
    reviewed.put_reviews(reviewed.started(LOOKED, rubric=rubric), rita, omar)
    closed = reviewed.started(CLOSED, rubric=rubric)
    escapes.put(closed, [rita, omar], {"feast": [escapes.says(no=[escapes.LUNCH])] * 2})
    releases_lifecycle.close(release=closed, waived=[], reason="", user=None, now=NOW)
    rules.propose()
    reviewed.review(opened, "feast", rita, 5)
    reviewed.review(opened, "feast", omar, 2)
    reviewed.assign(opened, "kids", rita)
    reviewed.ask(opened, "kids", rita)
    declined = reviewed.assign(opened, "rush", omar)
    desk_workflow.decline(
        review=declined.pk, user=omar, cause="broken", reason="Day 2 is empty.", now=NOW
    )
    pairs.plan(pairs.beside_baseline(rita, omar, name=PAIRED, before="before-paired"), rita)
    submitted = Review.objects.get(release=opened, reviewer=rita, status="submitted")
    desk_workflow.save_draft(
        review=submitted.pk, user=rita, version=1, said=reviewed.judgement(4), now=LATER
    )


@pytest.fixture
def scripts(db: None) -> dict[str, Script]:
    """Return a client for every person, with a token that has all scopes."""
    stages.once("mass assignment", set_up)
    found = {"anonymous": Script()}
    for user in User.objects.filter(username__in=WHO):
        found[user.username] = by(user)
        found[user.username].get("rubrics/")
    return found


def columns() -> list[str]:
    """Return the columns of all our tables and of users."""
    ours = [apps.get_app_config(app) for app in ("cases", "reviews", "evalsite", "auth")]
    fields = [
        field for app in ours for model in app.get_models() for field in model._meta.get_fields()
    ]
    names = {field.name for field in fields} | {getattr(field, "attname", "id") for field in fields}
    return sorted({*names, "pk"})


# Something else than what is stored, and of every kind that a column may have.
VALUES: tuple[Any, ...] = (1, "closed", True, "mina", None, [1], {"by": "mina"}, "2026-01-01")


def sent(names: list[str]) -> dict[str, Any]:
    return {name: VALUES[place % len(VALUES)] for place, name in enumerate(names)}


Rows = dict[str, dict[Any, dict[str, Any]]]


def everything() -> Rows:
    """Return every row of every table by its key."""
    found: Rows = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(model._meta.db_table)}")
            heads = [column[0] for column in cursor.description]
            key = heads.index(model._meta.pk.column)
            found[model._meta.model_name or ""] = {
                row[key]: dict(zip(heads, row, strict=True)) for row in cursor.fetchall()
            }
    return found


def changes(before: Rows, after: Rows) -> set[str]:
    """Return the changed columns, and the tables with added or removed rows."""
    found = set()
    for table, rows in after.items():
        earlier = before[table]
        found |= {f"+{table}"} if rows.keys() - earlier.keys() else set()
        found |= {f"-{table}"} if earlier.keys() - rows.keys() else set()
        for key in rows.keys() & earlier.keys():
            mine, theirs = rows[key], earlier[key]
            if mine != theirs:
                found |= {f"{table}.{name}" for name in mine if mine[name] != theirs[name]}
    return found


@contextmanager
def forgotten() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_every_call_that_writes_is_here(scripts: dict[str, Script]) -> None:
    writes = {
        name for name, rights in ROUTES.items() if is_for_scripts(name) and {*rights} - {READ}
    }
    assert {call.route for call in writing()} | TEXTS == writes


def test_what_is_done_changes_what_the_contract_says_and_nothing_else(
    scripts: dict[str, Script],
) -> None:
    before = everything()
    for call in writing():
        with forgotten():
            answer = scripts[call.by].send(call.method, call.address, call.body, **call.more)
            assert answer.status_code in (200, 201), (call.route, answer.content)
            assert changes(before, everything()) == call.changes, call.route


STATUS = {
    Answer.ALLOWED: 400,
    Answer.SIGN_IN: 401,
    Answer.HIDDEN: 404,
    Answer.FORBIDDEN: 403,
}


def test_nobody_changes_anything_with_names_that_the_contract_has_not(
    scripts: dict[str, Script],
) -> None:
    """All names at once, added to a valid call, in the body and in the query."""
    before = everything()
    names = "&".join(f"{name}=1" for name in columns())
    for who in WHO:
        user = User.objects.filter(username=who).first()
        roles = find_roles(user) if user else frozenset[Role]()
        for call in writing():
            may = answer_for(
                route=call.route, method=call.method, signed_in=bool(user), roles=roles
            )
            for address, whole in (
                (call.address, sent(columns()) | call.body),
                (f"{call.address}?{names}", call.body),
            ):
                answer = scripts[who].send(call.method, address, whole, **call.more)
                assert answer.status_code == STATUS[may], (who, call.route, answer.content)
        for address in ("rubrics/", f"releases/{DRAFT}/cases/"):
            is_refused = who not in ("ada", "root")
            query = "" if is_refused else f"?{names}"
            answer = scripts[who].post(address + query, b"{}", content_type=NDJSON)
            assert answer.status_code in (400, 401, 403, 404), (who, address, answer.content)
    assert changes(before, everything()) == set()


def test_each_name_that_the_contract_has_not_is_refused_by_name(
    scripts: dict[str, Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, on top of what would be done; at every depth. A call is sent some of them, in turn;
    what it reads a body with is given them all."""
    used: list[Callable[[bytes], Any]] = []
    read_body, decode = ViewSet.read_body, owned.decode

    def noted(view: ViewSet, serializer_class: type[Serializer]) -> Any:
        used.append(lambda raw: serializer_class().run_validation(json.loads(raw)))
        return read_body(view, serializer_class)

    def noted_on_the_desk(raw: bytes, *shapes: Any) -> Any:
        used.append(lambda raw: decode(raw, *shapes))
        return decode(raw, *shapes)

    monkeypatch.setattr(ViewSet, "read_body", noted)
    for api in (desk_api, pairings_api):
        monkeypatch.setattr(api, "decode", noted_on_the_desk)
    before = everything()
    calls = writing()
    for turn, call in enumerate(calls):
        further = {name: value for name, value in sent(columns()).items() if name not in call.names}
        for name in list(further)[turn :: len(calls)]:
            whole = {**call.body, name: further[name]}
            answer = scripts[call.by].send(call.method, call.address, whole, **call.more)
            assert code(answer) == (400, "bad_body"), (call.route, name, answer.content)
            assert problems(answer) == {name: UNKNOWN}, (call.route, name)
        read = used[-1]
        for where, whole, names in places(call):
            for name, value in sent(columns()).items():
                if name not in names:
                    part = at(whole, where)
                    part[name] = value
                    assert refused(whole, read) == {".".join([*where, name]): UNKNOWN}
                    del part[name]
    assert changes(before, everything()) == set()


UNKNOWN = "is not known here."
EVIDENCE = {"kind": "quote", "ref": "/plan/notes/0#0-5", "text": "Bring"}


def places(call: Writing) -> Iterator[tuple[list[str], dict[str, Any], set[str]]]:
    """Yield every object in a body: the path to it, the body and its names."""
    yield [], dict(call.body), call.names
    if "policy" in call.names:
        known = {field.name for field in msgspec.structs.fields(Policy)}
        yield ["policy"], {**call.body, "policy": {}}, known
    if "scores" in call.names:
        metric, item = reviewed.METRICS[0], reviewed.ITEMS[0]
        said = {**call.body, "scores": {metric: {}}, "answers": {item: {}}}
        yield ["scores", metric], said, {"value", "rationale", "evidence"}
        yield ["answers", item], said, {"answer", "note", "evidence"}


def at(whole: dict[str, Any], where: list[str]) -> dict[str, Any]:
    for name in where:
        whole = whole[name]
    return whole


def refused(whole: dict[str, Any], read: Callable[[bytes], Any]) -> dict[str, str]:
    with pytest.raises(ValidationError) as refusal:
        read(json.dumps(whole).encode())
    return {problem.path: problem.message for problem in list_problems(refusal.value.detail)}


def test_further_names_in_a_case_are_kept_with_it_and_set_no_column(
    scripts: dict[str, Script],
) -> None:
    before = everything()
    plain = reviewed.row("another")
    further = {name: value for name, value in sent(columns()).items() if name not in OF_A_CASE}
    stored = []
    for case in (plain, {**further, **plain}):
        with forgotten():
            address = f"releases/{DRAFT}/cases/"
            answer = scripts["ada"].post(address, lines(case), content_type=NDJSON)
            assert answer.json()["created"] == 1, answer.content
            after = everything()
            assert changes(before, after) == {"+case", "+casetag", "+batch", *EVENT}
            [new] = after["case"].keys() - before["case"].keys()
            stored.append(after["case"][new])
    first, other = stored
    differing = {name for name in first if first[name] != other[name]}
    # Its keys come from a sequence, which PostgreSQL does not turn back.
    assert differing - {"id", "batch_id"} == {"data", "digest", "code"}
    assert other["digest"] != further["digest"]
    assert other["code"] != further["code"]
    assert all(name in str(other["data"]) for name in further)


# Names that a case has of its own: wrong values in them are wrong cases, not further names.
OF_A_CASE = {field.encode_name for field in msgspec.structs.fields(Case)}


@pytest.mark.sqlite
def test_the_columns_are_all_there() -> None:
    """Shows that the tests above send all columns."""
    names = set(columns())
    assert {"status", "version", "reviewer_id", "is_superuser", "digest", "scopes", "pk"} <= names
    assert len(names) > 100
