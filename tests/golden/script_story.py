"""The life of one release, led by scripts: every call done and refused, in a fixed order."""

import json
from typing import Any

from tests.golden.cases import BAD_LINES, as_lines, make_cases, make_review
from tests.golden.normalise import write_json
from tests.golden.recorder import Recorder
from tests.golden.refusals import MARKDOWN, NDJSON

NAME = "harbour-1"
HERE = f"releases/{NAME}/"
NEW_RELEASE = {"name": NAME, "product": "harbour", "rubric": 1, "reviews_per_case": 2}
SIZE = 6


def tell_draft(recorder: Recorder) -> None:
    """Opened, filled, drawn, started."""
    call = recorder.call
    call("releases/opened", "ada", "POST", "releases/", NEW_RELEASE)
    call("releases/opened-again", "ada", "POST", "releases/", NEW_RELEASE)
    call("releases/name-taken", "ada", "POST", "releases/", NEW_RELEASE | {"product": "other"})
    changes: dict[str, dict[str, Any]] = {
        "bad-name": {"name": "a b"},
        "no-name": {"name": ""},
        "bad-per-case": {"name": "x1", "reviews_per_case": 0},
        "bad-date": {"name": "x1", "due_date": "soon"},
        "no-rubric": {"name": "x1", "rubric": 99},
        "no-baseline": {"name": "x1", "baseline": "no-such"},
        "bad-policy": {"name": "x1", "policy": {"margin": -1}},
        "bad-type": {"name": 5},
    }
    for what, change in changes.items():
        call(f"releases/refused-{what}", "ada", "POST", "releases/", NEW_RELEASE | change)
    call("releases/one", "mina", "GET", HERE)
    call("releases/changed", "ada", "PATCH", HERE, {"due_date": "2026-12-04"})
    policy = {"floors": {"personalization": 2.5}, "margin": 0.4}
    call("releases/changed-policy", "ada", "PATCH", HERE, {"policy": policy})
    call("releases/refused-rename", "ada", "PATCH", HERE, {"name": "harbour-9"})
    call("releases/refused-status", "ada", "PATCH", HERE, {"status": "closed"})
    call("releases/list", "ada", "GET", "releases/")
    call("releases/list-of-product", "mina", "GET", "releases/?product=harbour")
    call("releases/list-of-status", "mina", "GET", "releases/?status=closed&limit=1")
    call("releases/list-bad-status", "mina", "GET", "releases/?status=odd")
    call("releases/list-bad-cursor", "mina", "GET", "releases/?cursor=abc")
    call("releases/list-bad-limit", "mina", "GET", "releases/?limit=0")
    tell_import(recorder)
    tell_sample(recorder)


def push(recorder: Recorder, name: str, body: bytes, query: str = "", **more: Any) -> Any:
    kind = {"content_type": NDJSON} | more
    return recorder.call(name, "ada", "POST", f"{HERE}cases/{query}", body, **kind)


def tell_import(recorder: Recorder) -> None:
    call = recorder.call
    cases = make_cases()
    push(recorder, "cases/dry-run", as_lines(cases), "?dry_run=1")
    push(recorder, "cases/refused-lines", BAD_LINES)
    push(recorder, "cases/refused-lines-zh", BAD_LINES, language="zh-hans")
    push(recorder, "cases/refused-empty", b"")
    push(recorder, "cases/refused-format", as_lines(cases), "?format=odd")
    push(recorder, "cases/refused-array", b"[1,", content_type="application/json")
    push(recorder, "cases/some", as_lines(cases[:4]))
    call("sample/before-any", "ada", "GET", f"{HERE}sample/")
    call("sample/draw-cannot", "ada", "POST", f"{HERE}sample/draw/")
    call("releases/start-cannot", "ada", "POST", f"{HERE}start/")
    whole = json.dumps(cases, ensure_ascii=False).encode()
    push(recorder, "cases/all-as-array", whole, content_type="application/json")
    push(recorder, "cases/again", as_lines(cases))
    changed = cases[6] | {"tags": ["fishing", "Low_Budget"]}
    push(recorder, "cases/changed", as_lines([changed]))
    recorder.learn_codes(NAME)
    call("cases/list", "mina", "GET", f"{HERE}cases/")
    page = call("cases/page-1", "ada", "GET", f"{HERE}cases/?limit=5")
    cursor = page["next"].partition("cursor=")[2].partition("&")[0]
    call("cases/page-2", "ada", "GET", f"{HERE}cases/?limit=5&cursor={cursor}")
    for what, query in {
        "tag": "tag=low-budget",
        "check": "check_status=WARN",
        "kind": "kind=family-parent-child-case",
        "words": "q=lighthouse",
        "words-zh": "q=灯塔",
        "bad-kind": "kind=odd",
        "bad-check": "check_status=odd",
    }.items():
        call(f"cases/list-{what}", "ada", "GET", f"{HERE}cases/?{query}")


def tell_sample(recorder: Recorder) -> None:
    call = recorder.call
    draw, swap = f"{HERE}sample/draw/", f"{HERE}sample/swap/"
    call("sample/draw-too-many", "ada", "POST", draw, {"size": 100})
    call("sample/draw-bad-size", "ada", "POST", draw, {"size": 0})
    call("sample/drawn", "ada", "POST", draw, {"size": SIZE})
    drawn = call("sample/drawn-again", "ada", "POST", draw, {"size": SIZE})
    extra = drawn["sample"][-1]["case_key"]
    sampled = {row["case_key"] for row in drawn["sample"]}
    waiting = [key for key in ("quiet", "fishing", "painter", "gulls") if key not in sampled]
    why = {"reason": "Read by the whole team last week. 大家上周都读过。"}
    call("sample/swap-unknown", "ada", "POST", swap, {"out": extra, "in": "no-such", **why})
    call("sample/swap-failed", "ada", "POST", swap, {"out": extra, "in": "broken", **why})
    call("sample/swap-twice", "ada", "POST", swap, {"out": extra, "in": extra, **why})
    call("sample/swap-silent", "ada", "POST", swap, {"out": extra, "in": waiting[0], "reason": " "})
    call("sample/swapped", "ada", "POST", swap, {"out": extra, "in": waiting[0], **why})
    call(
        "sample/withdraw-draft",
        "ada",
        "POST",
        f"{HERE}sample/withdraw/",
        {"case_key": "rush", **why},
    )
    call("assignments/before-start", "ada", "POST", f"{HERE}assignments/")
    call("results/summary-of-draft", "mina", "GET", f"{HERE}summary/")
    call("results/csv-of-draft", "mina", "GET", f"{HERE}export.csv")
    call("releases/close-draft", "mina", "POST", f"{HERE}close/")
    call("releases/started", "ada", "POST", f"{HERE}start/")
    call("releases/started-again", "ada", "POST", f"{HERE}start/")
    call("releases/frozen", "ada", "PATCH", HERE, {"product": "other"})
    call("releases/due-date-later", "ada", "PATCH", HERE, {"due_date": "2026-12-07"})
    push(recorder, "cases/frozen", as_lines([make_cases()[0] | {"tags": []}]))
    call("sample/draw-started", "ada", "POST", draw)
    broken = {
        "case_key": waiting[0],
        "cause": "broken",
        "reason": "No plan on day 2. 第二天没有计划。",
    }
    call(
        "sample/withdraw-unknown",
        "ada",
        "POST",
        f"{HERE}sample/withdraw/",
        broken | {"case_key": "x"},
    )
    call(
        "sample/withdraw-cause", "ada", "POST", f"{HERE}sample/withdraw/", broken | {"cause": "odd"}
    )
    call("sample/withdrawn", "ada", "POST", f"{HERE}sample/withdraw/", broken)
    call("sample/started", "ada", "GET", f"{HERE}sample/")


def tell_assignments(recorder: Recorder) -> None:
    call = recorder.call
    plan, move = f"{HERE}assignments/", f"{HERE}assignments/move/"
    back = f"{HERE}assignments/withdraw/"
    call("assignments/dry-run", "ada", "POST", plan, {"dry_run": True})
    call("assignments/few-people", "ada", "POST", plan, {"reviewers": ["omar"], "dry_run": True})
    call("assignments/unknown-person", "ada", "POST", plan, {"reviewers": ["nobody"]})
    call("assignments/no-reviewer", "ada", "POST", plan, {"reviewers": ["mina"]})
    call("assignments/bad-per-case", "ada", "POST", plan, {"per_case": 0})
    call("assignments/planned", "ada", "POST", plan)
    call("assignments/planned-again", "ada", "POST", plan)
    recorder.learn_reviews()
    call("assignments/list", "ada", "GET", plan)
    call("assignments/list-of-rita", "ada", "GET", f"{plan}?reviewer=rita&status=assigned&limit=2")
    rows = recorder.read("ada", f"{plan}?limit=200")["results"]
    case, giver, taker = choose_move(rows)
    moved = {"case_key": case, "from": giver, "to": taker}
    call("assignments/move-unknown", "ada", "POST", move, moved | {"to": "nobody"})
    call("assignments/move-twice", "ada", "POST", move, moved | {"to": giver})
    call("assignments/move-no-case", "ada", "POST", move, moved | {"case_key": "x"})
    call("assignments/moved", "ada", "POST", move, moved)
    call("assignments/moved-again", "ada", "POST", move, moved)
    taken = {"case_key": case, "reviewer": taker, "reason": "On leave. 请假。"}
    call("assignments/withdraw-silent", "ada", "POST", back, taken | {"reason": ""})
    call("assignments/withdrawn", "ada", "POST", back, taken)
    call("assignments/withdrawn-again", "ada", "POST", back, taken)
    reminder = f"{HERE}assignments/remind/"
    call("assignments/reminded", "ada", "POST", reminder, {"reviewer": giver})
    call("assignments/reminded-again", "ada", "POST", reminder, {"reviewer": giver})
    answered = {"case_key": case, "reviewer": taker, "answer": "Score it as it is."}
    give_back = f"{HERE}assignments/give-back/"
    call("assignments/give-back-silent", "ada", "POST", give_back, answered | {"answer": ""})
    call("assignments/give-back-not-declined", "ada", "POST", give_back, answered)
    call("assignments/list-withdrawn", "ada", "GET", f"{plan}?status=withdrawn")
    call("assignments/filled-up", "ada", "POST", plan)
    recorder.learn_reviews()


def choose_move(rows: list[dict[str, Any]]) -> tuple[str, str, str]:
    """The first case by its key whose third reviewer is somebody who reads its language."""
    on_case: dict[str, list[str]] = {}
    for row in rows:
        on_case.setdefault(row["case_key"], []).append(row["reviewer"])
    for case, people in sorted(on_case.items()):
        for taker in ("rita", "wei"):
            if taker not in people and case != "quiet":
                return case, sorted(people)[0], taker
    raise RuntimeError("Nobody can take over anything.")


def tell_one_review(recorder: Recorder) -> None:
    """Everything that can happen to a review, on the first one of rita's in the release."""
    call = recorder.call
    call("reviews/list", "rita", "GET", "reviews/")
    call("reviews/list-open", "rita", "GET", "reviews/?status=assigned&limit=2")
    call("reviews/list-bad-status", "rita", "GET", "reviews/?status=odd")
    call("reviews/next", "rita", "GET", "reviews/next/")
    call("reviews/next-zh", "wei", "GET", "reviews/next/", language="zh-hans")
    review, second, third = list(recorder.find_open_reviews("rita", NAME).values())[:3]
    own = f"reviews/{review}/"
    call("reviews/one", "rita", "GET", own)
    call("reviews/others", "omar", "GET", own)
    draft, submit = f"{own}draft/", f"{own}submit/"
    said = make_review(4, 3)
    call("reviews/draft-others", "omar", "PUT", draft, {"version": 0})
    partly = {"version": 0, "scores": {"personalization": {"value": 2}}, "comment": "先记一笔。"}
    call("reviews/draft", "rita", "PUT", draft, partly)
    call("reviews/draft-stale", "rita", "PUT", draft, partly)
    call("reviews/draft-metric", "rita", "PUT", draft, {"version": 1, "scores": {"x": {}}})
    high = {"version": 1, "scores": {"personalization": {"value": 9}}}
    call("reviews/draft-level", "rita", "PUT", draft, high)
    call("reviews/draft-type", "rita", "PUT", draft, {"version": "1"})
    call("reviews/with-draft", "rita", "GET", own)
    key = {"headers": {"Idempotency-Key": "golden-1"}}
    call("reviews/submit-incomplete", "rita", "POST", submit, {"version": 1}, **key)
    call(
        "reviews/submit-incomplete-zh",
        "rita",
        "POST",
        submit,
        {"version": 1},
        language="zh-hans",
        **key,
    )
    call("reviews/submit-keyless", "rita", "POST", submit, said | {"version": 1})
    loose = make_review(4)
    loose["scores"]["personalization"]["evidence"][0]["ref"] = "/plan/days/9"
    call("reviews/submit-loose", "rita", "POST", submit, loose | {"version": 1}, **key)
    odd = make_review(5)
    call("reviews/submit-incoherent", "rita", "POST", submit, odd | {"version": 1}, **key)
    call("reviews/submit-stale", "rita", "POST", submit, said | {"version": 0}, **key)
    call("reviews/submitted", "rita", "POST", submit, said | {"version": 1}, **key)
    call("reviews/submitted-again", "rita", "POST", submit, said | {"version": 1}, **key)
    call(
        "reviews/submit-key-reused", "rita", "POST", submit, make_review(2) | {"version": 1}, **key
    )
    call("reviews/when-submitted", "rita", "GET", own)
    coherent = odd | {"version": 0, "coherence": dict.fromkeys(odd["scores"], "On the whole.")}
    key = {"headers": {"Idempotency-Key": "golden-3"}}
    call("reviews/submitted-coherent", "rita", "POST", f"reviews/{second}/submit/", coherent, **key)
    decline = f"reviews/{third}/decline/"
    call("reviews/decline-silent", "rita", "POST", decline, {"reason": ""})
    call("reviews/decline-cause", "rita", "POST", decline, {"reason": "x", "cause": "odd"})
    conflict = {"reason": "I know the customer. 我认识这位客人。", "cause": "conflict"}
    call("reviews/declined", "rita", "POST", decline, conflict)
    call("reviews/declined-again", "rita", "POST", decline, conflict)
    call("reviews/when-declined", "rita", "GET", f"reviews/{third}/")
    call("assignments/after-declining", "ada", "POST", f"{HERE}assignments/")
    recorder.learn_reviews()


def tell_other_reviews(recorder: Recorder) -> None:
    """All that is left is submitted; wei and the others differ, and wei flags one case."""
    call = recorder.call
    mina, case = "mina", {"release": NAME, "case_key": "festival"}
    query = "&".join(f"{key}={value}" for key, value in case.items())
    call("reviews/of-case-too-early", mina, "GET", f"reviews/?{query}")
    call("reviews/of-case-no-key", mina, "GET", f"reviews/?release={NAME}")
    call("reviews/of-case-unknown", mina, "GET", f"reviews/?release={NAME}&case_key=x")
    call("reviews/of-case-reviewer", "omar", "GET", f"reviews/?{query}")
    call("releases/close-cannot", mina, "POST", f"{HERE}close/")
    call("releases/close-cannot-zh", mina, "POST", f"{HERE}close/", language="zh-hans")
    scores = {"rita": 4, "omar": 3, "wei": 1}
    for person, value in scores.items():
        for place, review in enumerate(recorder.find_open_reviews(person, NAME).values()):
            flags = ["harmful"] if person == "wei" and place == 0 else []
            said = make_review(value if place < 2 else 4, 4, flags=flags)
            version = recorder.read(person, f"reviews/{review}/")["version"]
            call(
                f"reviews/{person}-{place}",
                person,
                "POST",
                f"reviews/{review}/submit/",
                said | {"version": version},
                headers={"Idempotency-Key": f"golden-{person}-{place}"},
            )
    tell_revision(recorder)
    call("reviews/of-case", mina, "GET", f"reviews/?{query}")


def tell_revision(recorder: Recorder) -> None:
    """Of a review whose case has other reviews by now: it takes a reason."""
    call = recorder.call
    own = f"reviews/{recorder.find_review('rita', NAME, 'child')}/"
    version = recorder.read("rita", own)["version"]
    revised = make_review(3, 3, comment="Read twice. 又读了一遍。")
    call("reviews/revision-draft", "rita", "PUT", f"{own}draft/", revised | {"version": version})
    call("reviews/in-revision", "rita", "GET", own)
    silent = {"version": version + 1}
    for what, reason in {"silent": "", "done": "The ferry does not run. 轮渡停航。"}.items():
        call(
            f"reviews/revision-{what}",
            "rita",
            "POST",
            f"{own}submit/",
            silent | {"reason": reason},
            headers={"Idempotency-Key": f"golden-revision-{what}"},
        )


def tell_results(recorder: Recorder) -> None:
    """What came out, while the release is open."""
    call = recorder.call
    call("results/summary-open", "mina", "GET", f"{HERE}summary/")
    call("results/verdict-open", "mina", "GET", f"{HERE}verdict/")
    call("results/compare-unknown", "mina", "GET", f"{HERE}compare/?with=no-such")
    call("results/compare-nothing", "mina", "GET", f"{HERE}compare/")
    call("results/csv-bad-shape", "mina", "GET", f"{HERE}export.csv?shape=odd")
    listed = call("adjudications/list", "mina", "GET", f"{HERE}adjudications/")["results"]
    call("adjudications/page", "mina", "GET", f"{HERE}adjudications/?limit=1")
    settle = f"{HERE}adjudications/"
    for place, row in enumerate(listed):
        agreed = {difference["metric"]: difference["low"] for difference in row["differences"]}
        body = {
            "case_key": row["case_key"],
            "agreed": agreed,
            "cause": "taste",
            "note": "Read together. 一起读过。",
            "seen": row["seen"],
        }
        if place == 0:
            call("adjudications/unknown-case", "mina", "POST", settle, body | {"case_key": "x"})
            call("adjudications/bad-level", "mina", "POST", settle, body | {"agreed": {"x": 1}})
            call("adjudications/no-level", "mina", "POST", settle, body | {"agreed": {}})
            call("adjudications/bad-cause", "mina", "POST", settle, body | {"cause": "odd"})
            call("adjudications/silent", "mina", "POST", settle, body | {"note": ""})
            call("adjudications/changed-since", "mina", "POST", settle, body | {"seen": "0" * 64})
        call(f"adjudications/settled-{place}", "mina", "POST", settle, body)
    call("adjudications/list-settled", "mina", "GET", settle)


def tell_closing(recorder: Recorder) -> None:
    call = recorder.call
    close, waive, decide = f"{HERE}close/", f"{HERE}waive/", f"{HERE}decision/"
    why = {"reason": "Enough is known. 已经够了。"}
    call("releases/waive-unknown", "mina", "POST", waive, {"rule": "kind:odd", **why})
    call("releases/waived", "mina", "POST", waive, {"rule": "reviews", **why})
    call("releases/waive-silent", "mina", "POST", waive, {"rule": "reviews", "reason": ""})
    call("releases/decide-too-early", "mina", "POST", decide, {"decision": "ship", **why})
    call("releases/reopen-too-early", "mina", "POST", f"{HERE}reopen/", why)
    closed = call("releases/closed", "mina", "POST", close)
    call("releases/closed-again", "mina", "POST", close)
    call("releases/decide-odd", "mina", "POST", decide, {"decision": "maybe", **why})
    stale = {"decision": "ship", "digest": "0" * 64, **why}
    call("releases/decide-stale", "mina", "POST", decide, stale)
    call("releases/decided", "mina", "POST", decide, stale | {"digest": closed["digest"]})
    tell_results_of_closed(recorder)
    tell_escapes(recorder)
    tell_rules(recorder)
    call("releases/reopen-silent", "mina", "POST", f"{HERE}reopen/", {"reason": " "})
    call("releases/reopened", "mina", "POST", f"{HERE}reopen/", why)
    call("results/verdict-reopened", "mina", "GET", f"{HERE}verdict/")
    call("reviews/when-reopened", "rita", "GET", "reviews/?limit=3")
    call("releases/closed-once-more", "mina", "POST", close, {"waive": [], "reason": ""})
    call("releases/closed-change", "ada", "PATCH", HERE, {"due_date": "2026-12-24"})


def tell_escapes(recorder: Recorder) -> None:
    call, move = recorder.call, "escapes/move/"
    listed = call("escapes/list", "mina", "GET", "escapes/?state=open&limit=3")["results"]
    call("escapes/bad-state", "mina", "GET", "escapes/?state=odd")
    body = {"product": "", "escapes": [], "state": "accepted", "reason": "As in May."}
    call("escapes/none", "ada", "POST", move, body)
    for escape in listed[:1]:
        body |= {"product": escape["product"], "escapes": [escape["id"]]}
        call("escapes/silent", "ada", "POST", move, body | {"reason": " "})
        call("escapes/other-state", "ada", "POST", move, body | {"rule": "short-gap"})
        call("escapes/moved", "ada", "POST", move, body)
        key = escape["case_key"]
        call("escapes/list-moved", "mina", "GET", f"escapes/?state=accepted&case_key={key}")


def tell_rules(recorder: Recorder) -> None:
    call = recorder.call
    product = call("rules/product", "mina", "GET", HERE)["product"]
    here = f"products/{product}/rules/"
    rule = {"topic": "buffers", "fact": "short-gap", "question": "usability-value.1", "rubric": 1}
    call("rules/proposed", "mina", "POST", here, rule | {"reason": "Said in May."})
    call("rules/proposed-again", "mina", "POST", here, rule)
    call("rules/no-fact", "mina", "POST", here, rule | {"fact": "long-gap"})
    call("rules/list", "ada", "GET", here)
    call("rules/one", "ada", "GET", f"{here}short-gap/")
    call("rules/watched", "mina", "POST", f"{here}short-gap/shadow/")
    call("rules/adopted", "mina", "POST", f"{here}short-gap/adopt/", {"confirm": True})
    call("rules/export", "ada", "GET", f"{here}export/")
    call("rules/retired", "mina", "POST", f"{here}short-gap/retire/")
    call("rules/not-back", "mina", "POST", f"{here}short-gap/adopt/")


def tell_results_of_closed(recorder: Recorder) -> None:
    """The demo's closed releases and our own."""
    call = recorder.call
    call("results/summary", "ada", "GET", f"{HERE}summary/")
    call("results/verdict", "ada", "GET", f"{HERE}verdict/")
    call("results/verdict-zh", "ada", "GET", f"{HERE}verdict/", language="zh-hans")
    answer = recorder.people["ada"].call("GET", f"{HERE}verdict/")
    known = {"If-None-Match": answer.headers["ETag"]}
    again = recorder.people["ada"].call("GET", f"{HERE}verdict/", headers=known)
    recorder.write("api/results/verdict-known.json", str(again.status_code) + "\n")
    for release in ("wayfarer-2026.09", "wayfarer-2026.10"):
        call(f"results/summary-{release}", "mina", "GET", f"releases/{release}/summary/")
        call(f"results/verdict-{release}", "mina", "GET", f"releases/{release}/verdict/")
        call(
            f"results/adjudications-{release}", "mina", "GET", f"releases/{release}/adjudications/"
        )
        recorder.archive(f"bundle-{release}", "mina", f"releases/{release}/export.zip")
    demo = "releases/wayfarer-2026.10/"
    call("results/compare", "mina", "GET", f"{demo}compare/")
    call("results/compare-with", "mina", "GET", f"{demo}compare/?with=wayfarer-2026.09&across=1")
    for shape in ("wide", "long", "cases", "figures"):
        call(f"results/csv-{shape}", "mina", "GET", f"{demo}export.csv?shape={shape}")
    recorder.archive("workbook-wayfarer-2026.10", "mina", f"{demo}export.xlsx")
    recorder.archive(f"bundle-{NAME}", "mina", f"{HERE}export.zip")


def tell_rubrics(recorder: Recorder) -> None:
    call = recorder.call
    call("rubrics/list", "rita", "GET", "rubrics/")
    call("rubrics/one", "rita", "GET", "rubrics/1/")
    version = call("rubrics/one-zh", "wei", "GET", "rubrics/1/", language="zh-hans")
    text = recorder.read("ada", "rubrics/1/")["text"]
    kind = {"content_type": MARKDOWN}
    call("rubrics/same", "ada", "POST", "rubrics/", text.encode(), **kind)
    call("rubrics/bad", "ada", "POST", "rubrics/", text.replace("- `3`", "- `7`").encode(), **kind)
    call("rubrics/bad-zh", "ada", "POST", "rubrics/", "# 空\n\n## 空\n".encode(), **kind)
    call("rubrics/no-text", "ada", "POST", "rubrics/", b"\xff\xfe", **kind)
    changed = text.replace("minimal extra planning", "no extra planning")
    call("rubrics/published", "ada", "POST", "rubrics/", changed.encode(), **kind)
    call("rubrics/list-after", "rita", "GET", "rubrics/?limit=1")
    assert version["language"] == "zh-hans"


def tell_other_rubric(recorder: Recorder) -> None:
    """A release judged by another version cannot simply be compared."""
    call = recorder.call
    other = {"name": "harbour-3", "product": "harbour", "rubric": 2, "baseline": NAME}
    there = "releases/harbour-3/"
    call("other-rubric/opened", "ada", "POST", "releases/", other)
    kind = {"content_type": NDJSON}
    call("other-rubric/cases", "ada", "POST", f"{there}cases/", as_lines(make_cases()), **kind)
    recorder.learn_codes("harbour-3")
    call("other-rubric/drawn", "ada", "POST", f"{there}sample/draw/", {"size": 5})
    call("other-rubric/started", "ada", "POST", f"{there}start/")
    call("other-rubric/compared", "mina", "GET", f"{there}compare/?with={NAME}")
    call("other-rubric/compared-across", "mina", "GET", f"{there}compare/?with={NAME}&across=1")
    recorder.page("comparison-other-rubric", "mina", f"/{there}compare/?with={NAME}")
    abandon = {"abandon": True, "reason": "Only for comparing. 只为比较。"}
    call("other-rubric/abandoned-silently", "mina", "POST", f"{there}close/", {"abandon": True})
    call("other-rubric/abandoned", "mina", "POST", f"{there}close/", abandon)
    call("other-rubric/verdict", "mina", "GET", f"{there}verdict/")


def tell_tokens(recorder: Recorder) -> None:
    """A token from a password: what it may do and what not."""
    password = recorder.site.passwords["ada"]
    right = {"username": "ada", "password": password}
    made = recorder.people["anonymous"].call("POST", "auth/token/", right)
    description = recorder.describe("POST", "auth/token/", made)
    recorder.write("api/tokens/made.json", write_json(description))
    call = recorder.call
    call("tokens/wrong", "anonymous", "POST", "auth/token/", right | {"password": "wrong"})
    call("tokens/nameless", "anonymous", "POST", "auth/token/", right | {"username": ""})
    token = made.json()["token"]
    recorder.names.learn(token, "<token of ada>")
    for what, sent, method, path in (
        ("reads", token, "GET", HERE),
        ("may-not-write", token, "POST", "releases/"),
        ("of-nobody", "abc", "GET", HERE),
    ):
        body = NEW_RELEASE if method == "POST" else None
        headers = {"Authorization": f"Token {sent}"}
        answer = recorder.people["anonymous"].call(method, path, body, headers=headers)
        recorder.write(
            f"api/tokens/{what}.json", write_json(recorder.describe(method, path, answer))
        )


def read_document(recorder: Recorder) -> dict[str, Any]:
    """Record the OpenAPI document."""
    answer = recorder.people["anonymous"].script.get(f"{recorder.site.url}/api/schema/", timeout=60)
    recorder.write("openapi.json", recorder.names.in_json(answer.text))
    document: dict[str, Any] = answer.json()
    return document
