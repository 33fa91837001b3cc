"""Calls that were made up, brought near to calls that go through: real names, whole bodies.

Made up alone, nearly every call would end at a name that nobody knows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from hypothesis import strategies as st
from schemathesis import Case

from cases.rubrics.workflow import SHIPPED
from evalsite.models import Scope
from evalsite.permissions import Role
from reviews.desk import judgement as said
from reviews.desk import workflow as desk_workflow
from reviews.models import Escape
from reviews.pairings import judgement as pair_judgement
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import escapes, pairs, rules
from tests.bed import reviewed as bed
from tests.bed.api import token_of
from tests.bed.cases import NOW, lines, make_case
from tests.people import PASSWORD, make_person

WHY = "The trams do not run then."
JUDGEMENT = said.to_data(bed.judgement(comment="Twice on foot."))
CONTRADICTING = said.to_data(bed.judgement(5, answer="no"))


@dataclass(frozen=True)
class Call:
    """The parts of a call that goes through."""

    path: Mapping[str, Any]
    body: Any = None
    query: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True)
class World:
    """`tokens` by who asks, empty for somebody who is not signed in. `calls` by operation."""

    tokens: dict[str, str]
    calls: dict[str, list[Call]]
    names: list[str]
    reviews: list[int]


def lay_down() -> World:
    """A release in each status, with reviews in each status, and one person of each kind."""
    roles = {
        "rita": (Role.REVIEWER,),
        "ada": (Role.ADMIN,),
        "mina": (Role.MANAGER,),
        "dora": (Role.REVIEWER, Role.ADMIN, Role.MANAGER),
        "sam": (),
    }
    people = {name: make_person(name, *own) for name, own in roles.items()}
    omar, wei = make_person("omar", Role.REVIEWER), make_person("wei", Role.REVIEWER)
    root = User.objects.create_superuser("root")
    closed = bed.started("closed-1")
    finding = [escapes.says(no=[escapes.LUNCH])] * 2
    escapes.put(closed, [people["rita"], omar], {"feast": finding})
    releases_lifecycle.close(release=bed.current(closed), user=None, now=NOW)
    bed.filled("draft-1")
    bed.drawn("drawn-1")
    ready = bed.started("ready-1")
    bed.put_reviews(ready, people["rita"], omar)
    going = bed.started("going-1")
    bed.put_judgements(going, {"kids": {people["rita"]: bed.judgement(5), omar: bed.judgement(1)}})
    mine = bed.assign(going, "feast", people["rita"])
    begun = bed.assign(going, "thrift", people["rita"])
    desk_workflow.save_draft(
        review=begun.pk, user=people["rita"], version=0, said=bed.judgement(), now=NOW
    )
    given_back = bed.assign(going, "rush", people["rita"])
    desk_workflow.decline(
        review=given_back.pk, user=people["rita"], cause="language", reason=WHY, now=NOW
    )
    bed.assign(going, "feast", wei)
    doras = bed.assign(going, "ramp", people["dora"])
    asked, answered = (
        bed.ask(going, "feast", people["rita"], text=text) for text in ("Is tea a meal?", "And 7?")
    )
    questions_workflow.answer(question=answered.pk, text="It is.", user=people["ada"], now=NOW)
    submitted = people["rita"].reviews.get(case__case_key="kids", release=going)
    beside = pairs.beside_baseline(people["rita"], omar, name="paired-1", before="before-1")
    paired = [pairing.pk for pairing in pairs.plan(beside, people["rita"])[:3]]
    tokens = {name: token_of(user) for name, user in {**people, "root": root}.items()}
    tokens["ada's pipeline"] = token_of(people["ada"], Scope.PUSH)
    return World(
        tokens={"": "", **tokens},
        calls={
            **calls_on(mine.pk, begun.pk, submitted.pk, doras.pk, given_back.pk),
            **calls_on_questions(asked.pk, answered.pk),
            **calls_on_escapes(Escape.objects.get().pk),
            **calls_on_rules(),
            **calls_on_pairings(paired),
        },
        names=["draft-1", "drawn-1", "going-1", "ready-1", "closed-1"],
        reviews=[mine.pk, begun.pk, submitted.pk, doras.pk, given_back.pk],
    )


def calls_on_escapes(escape: int) -> dict[str, list[Call]]:
    whole = {"product": "wanderer", "escapes": [escape], "state": "fixed", "reason": WHY}
    return {
        "escape_list": [
            Call({}, query={"product": "wanderer", "state": "open", "limit": "1"}),
            Call({}, query={"about": "question", "key": escapes.LUNCH, "case_key": "feast"}),
        ],
        "escape_move": [
            Call({}, whole),
            Call({}, whole | {"state": "rule", "rule": "short-gap"}),
            Call({}, whole | {"escapes": [escape + 1]}),
        ],
    }


def calls_on_rules() -> dict[str, list[Call]]:
    product = {"product": rules.PRODUCT}
    known = product | {"key": rules.propose().key}
    limit = {"param": "count", "at_least": 2, "at_most": None}
    new = {
        "topic": "meals",
        "fact": "meal-over-meal",
        "question": rules.QUESTION,
        "rubric": 1,
        "thresholds": [limit],
        "tags": ["family"],
        "reason": WHY,
    }
    return {
        "rule_list": [Call(product, query={"state": "proposed", "limit": "1"})],
        "rule_one": [Call(known)],
        "rule_propose": [
            Call(product, new),
            Call(product, new | {"fact": "meal-over-visit", "thresholds": [], "tags": []}),
            Call(product, new | {"key": known["key"]}),
        ],
        "rule_watch": [Call(known, {}), Call(known, {"version": 1})],
        "rule_adopt": [Call(known, {}), Call(known, {"version": 1, "confirm": True})],
        "rule_retire": [Call(known, {}), Call(known, {"version": 2})],
        "rule_export": [Call(product)],
    }


def calls_on(
    mine: int, begun: int, submitted: int, doras: int, given_back: int
) -> dict[str, list[Call]]:
    """For each operation calls that go through, and some that are whole but come too late."""
    draft, drawn, going, ready, closed = (
        {"name": f"{one}-1"} for one in ("draft", "drawn", "going", "ready", "closed")
    )
    new = {"name": "new-1", "product": "wanderer", "rubric": 1, "baseline": "closed-1"}
    policy = {"floors": {"personalization": 2.5}, "margin": 0.25}
    rubric = (SHIPPED / "en.md").read_text("utf-8")
    own = [{"id": one} for one in (mine, begun, doras)]
    key = {"Idempotency-Key": "k-1"}
    coherence = dict.fromkeys(bed.METRICS, "both hold")
    looked = [Call(one) for one in (going, closed, ready)]
    known = [*looked, Call(closed, headers={"If-None-Match": "*"})]
    swap = {"out": "feast", "in": "spare-1", "reason": WHY}
    rows = [make_case("new-1"), bed.row("feast", "family")]
    return {
        "token_for_password": [Call({}, {"username": "rita", "password": PASSWORD})],
        "rubric_list": [Call({}, query={"limit": "1"})],
        "rubric_version": [Call({"number": 1})],
        "rubric_publish": [Call({}, rubric), Call({}, rubric.replace("Beijing", "Yunxi"))],
        "release_list": [Call({}, query={"limit": "2", "status": "reviewing"})],
        "release_open": [
            Call({}, new),
            Call({}, new | {"due_date": "2030-02-14", "policy": policy}),
            Call({}, {"name": "draft-1", "product": "wanderer"}),
        ],
        "release_one": [Call(draft)],
        "release_change": [
            Call(draft, {"product": "wanderer", "baseline": "closed-1", "policy": policy}),
            Call(draft, {"reviews_per_case": 3, "rubric": 1}),
            Call(going, {"due_date": "2030-02-14"}),
        ],
        "case_list": [
            Call(draft, query={"limit": "3"}),
            Call(draft, query={"tag": "family", "check_status": "PASS", "q": "tram"}),
            Call(draft, query={"kind": bed.KIND_OF["kids"]}),
        ],
        "case_push": [
            Call(draft, rows),
            Call(draft, lines(*rows).decode()),
            Call(draft, rows, query={"dry_run": "1", "format": "itinerary-case"}),
        ],
        "sample": [Call(drawn), Call(going)],
        "sample_draw": [Call(draft, {}), Call(drawn, {"size": 6})],
        "sample_swap": [
            Call(drawn, swap),
            Call(going, swap | {"out": "rush"}),
            Call(drawn, swap | {"in": "kids"}),
        ],
        "sample_extend": [Call(one, {"look": 2}) for one in (going, ready)],
        "sample_withdraw": [Call(going, {"case_key": "rush", "reason": WHY, "cause": "broken"})],
        "release_start": [Call(drawn, {})],
        "release_close": [
            Call(ready, {}),
            Call(going, {"abandon": True, "reason": WHY}),
            Call(going, {"waive": ["reviews", "adjudications"], "reason": WHY}),
        ],
        "release_reopen": [Call(closed, {"reason": WHY})],
        "release_waive": [
            Call(going, {"rule": "reviews", "reason": WHY}),
            Call(draft, {"rule": f"kind:{bed.KIND_OF['kids']}", "reason": WHY}),
        ],
        "release_decide": [Call(closed, {"decision": "ship", "reason": WHY})],
        "assignment_list": [Call(going, query={"limit": "2", "reviewer": "rita"})],
        "assignment_plan": [
            Call(going, {}),
            Call(going, {"reviewers": ["rita", "wei"], "per_case": 2, "dry_run": True}),
        ],
        "assignment_move": [Call(going, {"case_key": "feast", "from": "wei", "to": "omar"})],
        "assignment_withdraw": [
            Call(going, {"case_key": "feast", "reviewer": "wei", "reason": WHY})
        ],
        "assignment_remind": [Call(going, {"reviewer": "wei"})],
        "assignment_give_back": [
            Call(going, {"case_key": "rush", "reviewer": "rita", "answer": WHY})
        ],
        "adjudication_list": looked,
        "adjudicate": [
            Call(
                going,
                {
                    "case_key": "kids",
                    "agreed": dict.fromkeys(bed.METRICS, 3),
                    "cause": "taste",
                    "note": WHY,
                },
            )
        ],
        "release_summary": known,
        "verdict": [*known, Call(closed, query={"markdown": "1"})],
        "regressions": [Call(closed, query={"shape": one}) for one in ("trip-agent", "issues")],
        "compare": [Call(closed, query={"with": "ready-1"}), Call(ready, query={"across": "1"})],
        "export_csv": [Call(closed, query={"shape": one}) for one in ("wide", "cases")],
        "export_xlsx": [Call(closed)],
        "export_zip": [Call(closed)],
        "export_tool": [Call(closed, query={"tool": one}) for one in ("langfuse", "label-studio")],
        "review_list": [
            Call({}, query={"status": "draft"}),
            Call({}, query={"release": "closed-1", "case_key": "kids"}),
        ],
        "review_next": [Call({})],
        "review_one": [Call(one) for one in (*own, {"id": submitted})],
        "review_draft": [
            Call({"id": mine}, {"version": 0, **JUDGEMENT}),
            Call({"id": begun}, {"version": 1, **JUDGEMENT}),
            Call({"id": doras}, {"version": 0, "comment": WHY}),
            Call({"id": mine}, {"version": 7, **JUDGEMENT}),
            Call({"id": given_back}, {"version": 0, **JUDGEMENT}),
        ],
        "review_submit": [
            Call({"id": mine}, {"version": 0, **JUDGEMENT, "coherence": coherence}, headers=key),
            Call({"id": begun}, {"version": 1, "coherence": coherence}, headers=key),
            Call({"id": submitted}, {"version": 1, **JUDGEMENT, "reason": WHY}, headers=key),
            Call({"id": doras}, {"version": 0, **JUDGEMENT, "coherence": coherence}, headers=key),
            Call({"id": mine}, {"version": 0, **CONTRADICTING}, headers=key),
        ],
        "review_discard": [
            Call({"id": submitted}, {"version": 1}),
            Call({"id": mine}, {"version": 0}),
        ],
        "review_ask": [
            Call(one, {"subject": bed.ITEMS[0], "text": "Is tea a meal?"}) for one in own
        ],
        "review_decline": [Call(one, {"reason": WHY, "cause": "language"}) for one in own],
    }


def calls_on_questions(asked: int, answered: int) -> dict[str, list[Call]]:
    again = {"text": WHY, "look_again": True, "supersedes": 1}
    return {
        "question_list": [Call({}, query={"limit": "1"})],
        "question_answer": [
            Call({"id": asked}, {"text": "Tea is a drink."}),
            Call({"id": answered}, again),
            Call({"id": answered}, {"text": WHY}),
        ],
    }


def calls_on_pairings(own: Iterable[int]) -> dict[str, list[Call]]:
    pairings = [{"id": pairing} for pairing in own]
    paired, going = {"name": "paired-1"}, {"name": "going-1"}
    key = {"Idempotency-Key": "k-1"}
    said_of_both = pair_judgement.to_data(pairs.say(2))
    return {
        "pairing_list": [Call({}, query={"limit": "1"})],
        "pairing_next": [Call({})],
        "pairing_one": [Call(one) for one in pairings],
        "pairing_draft": [Call(one, {"version": 0, "newer": "left"}) for one in pairings],
        "pairing_submit": [
            Call(one, {"version": 0, **said_of_both}, headers=key) for one in pairings
        ],
        "pairing_decline": [Call(one, {"reason": WHY}) for one in pairings],
        "release_pairings": [Call(going), Call(paired)],
        "release_pairings_take_back": [
            Call(paired, {"reviewers": ["rita"], "reason": WHY}),
            Call(paired, {"reason": WHY}),
        ],
        "release_pairings_plan": [
            Call(paired, {"reviewers": ["omar"]}),
            Call(going, {"dry_run": True}),
        ],
    }


def bring_near(case: Case[Any], world: World, data: st.DataObject) -> None:
    """Any part of what was made up may stay; the rest is from a call that goes through."""
    operation = case.operation.definition.raw["operationId"]
    good = data.draw(st.sampled_from(world.calls[operation]))
    if data.draw(OFTEN):
        case.path_parameters = dict(good.path)
    elif data.draw(OFTEN):
        real: dict[str, list[Any]] = {
            "name": world.names,
            "id": world.reviews,
            "number": [1],
            "product": [rules.PRODUCT, "行程/规划"],
            "key": ["meal-over-visit", "no-such-rule"],
        }
        case.path_parameters = {
            name: data.draw(st.sampled_from(real[name])) for name in case.path_parameters or {}
        }
    if data.draw(OFTEN):
        made = dict(case.query or {}) if data.draw(SELDOM) else {}
        case.query = {**made, **(good.query or {})}
    if data.draw(OFTEN):
        made = dict(case.headers or {}) if data.draw(SELDOM) else {}
        case.headers.clear()
        case.headers.update({**made, **(good.headers or {})})
    if good.body is not None and data.draw(OFTEN):
        case.body = crossed(good.body, case.body, data)
        case.media_type = media_type_of(case, good.body)


OFTEN = st.sampled_from([True, True, True, False])
SELDOM = st.sampled_from([False, False, True])


def crossed(good: Any, made: Any, data: st.DataObject) -> Any:
    """The good one; sometimes with one part that was made up, or that is left out."""
    if not isinstance(good, dict) or not data.draw(SELDOM):
        return good
    parts = made if isinstance(made, dict) else {}
    names = sorted({*good, *parts}, key=str)
    name = data.draw(st.sampled_from(names)) if names else None
    rest = {own: value for own, value in good.items() if own != name}
    return {**rest, name: parts[name]} if name in parts else rest


def media_type_of(case: Case[Any], body: Any) -> str | None:
    """Lines are a text, an array is JSON, where both are taken."""
    if case.operation.definition.raw["operationId"] != "case_push":
        return case.media_type
    return "application/x-ndjson" if isinstance(body, str) else "application/json"
