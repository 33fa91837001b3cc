"""Pages in both languages, and the life of one release led by forms."""

from tests.golden.cases import as_lines, make_cases, make_form
from tests.golden.recorder import Recorder

NAME = "harbour-2"
HERE = f"/releases/{NAME}/"
WHY = {"reason": "Agreed in the team. 团队商定。"}
EARLIER, CLOSED, OPEN = (f"/releases/wayfarer-2026.{month}/" for month in ("09", "10", "11"))


def tell_demo(recorder: Recorder) -> None:
    """The demo as it is when somebody opens it first."""
    page = recorder.page
    page("sign-in", "anonymous", "/sign-in/?next=/people/")
    page("signed-out-home", "anonymous", "/")
    for person in ("rita", "wei", "ada", "mina", "sam"):
        page(f"home-{person}", person, "/")
    for person in ("ada", "mina"):
        page(f"releases-{person}", person, "/releases/")
        page(f"release-closed-signed-{person}", person, EARLIER)
        page(f"release-closed-{person}", person, CLOSED)
        page(f"release-reviewing-{person}", person, OPEN)
        page(f"history-{person}", person, f"{OPEN}events/?verify=all")
    page("releases-found", "mina", "/releases/?q=hangzhou")
    page("release-new", "ada", "/new-release/")
    page("release-edit", "ada", f"{OPEN}edit/")
    page("cases", "ada", f"{OPEN}cases/")
    page(
        "cases-filtered",
        "mina",
        f"{OPEN}cases/?kind=family-parent-child-case&check=pass&sort=-days",
    )
    page("cases-none", "mina", f"{OPEN}cases/?q=nothing-like-this")
    beijing = "beijing-spring-festival-hutong"
    codes = [recorder.code_of[f"wayfarer-2026.{month}/{beijing}"] for month in ("11", "10")]
    page("case", "ada", f"/cases/{codes[0]}/")
    page("case-closed", "mina", f"/cases/{codes[1]}/")
    page("case-comparison", "mina", f"/cases/{codes[0]}/against/{codes[1]}/")
    page("import", "ada", f"{OPEN}import/")
    page("draw", "mina", f"{OPEN}draws/1/?q=xian-36-hours")
    page("assignments", "ada", f"{OPEN}assignments/")
    page("assignments-filtered", "mina", f"{OPEN}assignments/?q=wei&show=open")
    page("plan", "ada", f"{OPEN}assignments/plan/?chosen=1&reviewers=rita&reviewers=wei&per_case=3")
    page("hand-on", "ada", f"{OPEN}assignments/people/wei/hand-on/")
    page("scores-closed-door", "ada", f"{OPEN}adjudications/")
    page("adjudications-of-closed", "mina", f"{CLOSED}adjudications/")
    three = recorder.code_of["wayfarer-2026.10/beijing-three-generations"]
    page("adjudication-of-closed", "mina", f"{CLOSED}adjudications/{three}/")
    page("report-door", "mina", f"{OPEN}report/")
    page("report-closed", "mina", f"{CLOSED}report/")
    page("report-signed", "ada", f"{EARLIER}report/")
    page("report-cases", "mina", f"{CLOSED}report/cases/?metric=personalization&level=2")
    page("report-all-cases", "mina", f"{CLOSED}report/cases/")
    page("brief", "mina", f"{CLOSED}report/brief/")
    page("comparison", "mina", f"{CLOSED}compare/?with=wayfarer-2026.09")
    page("comparison-choose", "mina", f"{EARLIER}compare/")
    page("trend", "mina", "/trend/?product=wayfarer")
    page("rules", "mina", "/products/wayfarer/rules/")
    page("rules-choose", "mina", "/products/wayfarer/rules/new/")
    page("close", "mina", f"{OPEN}close/")
    page("abandon", "mina", f"{OPEN}abandon/")
    page("waive", "mina", f"{OPEN}waive/?rule=reviews")
    page("reopen", "mina", f"{CLOSED}reopen/")
    page("decision", "mina", f"{CLOSED}decision/")
    page("people", "ada", "/people/")
    page("people-found", "ada", "/people/?q=wei&role=reviewer")
    page("person", "ada", "/people/rita/")
    page("invite", "ada", "/invite/")
    page("account", "rita", "/account/")
    page("second-factor", "mina", "/account/second-factor/")
    page("password", "mina", "/account/password/")
    page("token-new", "ada", "/account/tokens/new/")
    page("rubrics", "rita", "/rubrics/")
    page("rubric", "rita", "/rubrics/1/")
    page("rubric-new", "ada", "/rubrics/new/")
    page("scoring", "rita", "/scoring/")
    page("questions", "ada", "/questions/")
    page("api-docs", "anonymous", "/api/docs/")
    tell_reviewer(recorder)
    tell_errors(recorder)


def tell_reviewer(recorder: Recorder) -> None:
    page = recorder.page
    page("my-reviews", "rita", "/reviews/")
    page("my-reviews-filtered", "wei", "/reviews/?language=zh")
    page("mirror", "rita", "/mirror/")
    page("my-questions", "rita", "/reviews/questions/")
    page("practice", "rita", "/practice/")
    page("desk", "rita", "/reviews/next/")
    page("desk-zh-reader", "wei", "/reviews/next/")
    done = recorder.find_review("rita", "wayfarer-2026.11", "xian-36-hours")
    page("desk-submitted", "rita", f"/reviews/{done}/")
    page("desk-revising", "rita", f"/reviews/{done}/?revise=1")
    old = recorder.find_review("rita", "wayfarer-2026.10", "xian-36-hours")
    page("desk-of-closed", "rita", f"/reviews/{old}/")
    page("decline", "rita", f"/reviews/{done}/decline/")
    page("ask", "rita", f"/reviews/{done}/ask/?about=personalization.2")
    recorder.act("practice", "rita", "/practice/", make_form(2, 5))


def tell_errors(recorder: Recorder) -> None:
    page = recorder.page
    page("error-forbidden", "rita", "/releases/")
    page("error-no-role", "sam", "/releases/")
    page("error-not-found", "ada", "/no-such-page/")
    page("error-no-release", "mina", "/releases/no-such/")
    page("error-wrong-method", "ada", f"{OPEN}draw/")
    page("error-bad-address", "ada", "/releases/?q=%00")
    others = recorder.find_review("wei", "wayfarer-2026.11", "chengdu-students-500")
    page("error-others-review", "rita", f"/reviews/{others}/")
    visitor = recorder.people["anonymous"]
    bare = visitor.browser.post(f"{visitor.url}/sign-in/", data={"login": "x"}, timeout=60)
    recorder.write_page("pages/error-form-expired.en.html", "anonymous", "POST /sign-in/", bare)


def tell_draft(recorder: Recorder) -> None:
    """Opened, filled, tagged, drawn, changed by hand and started."""
    act, page = recorder.act, recorder.page
    new = {"name": NAME, "product": "harbour", "reviews_per_case": "2", "due_date": "2026-12-11"}
    act("release-new-refused", "ada", "/new-release/", new | {"name": "a b"})
    act("release-new", "ada", "/new-release/", new)
    page("release-empty", "ada", HERE)
    page("cases-empty", "ada", f"{HERE}cases/")
    edit = {"margin": "0.3", "within_one": "75", "accept": "pass", "floor_personalization": "2.5"}
    act("release-edit-refused", "ada", f"{HERE}edit/", edit | {"margin": "-1"})
    act("release-edit", "ada", f"{HERE}edit/", edit)
    act("import-refused", "ada", f"{HERE}import/", {"text": '{"case_key": "a"}\n'})
    act("import-empty", "ada", f"{HERE}import/", {"text": ""})
    lines = as_lines(make_cases()).decode()
    preview = act("import-preview", "ada", f"{HERE}import/", {"text": lines}).headers["Location"]
    page("import-preview", "ada", preview)
    act("import-done", "ada", preview, {}, press="seen")
    recorder.learn_codes(NAME)
    tell_tags(recorder)
    page("release-filled", "ada", HERE)
    page("release-filled-mina", "mina", HERE)
    act("draw-too-many", "ada", HERE, {"size": "50"}, action="/draw/")
    act("draw", "ada", HERE, {"size": "6"}, action="/draw/")
    act("draw-again", "ada", HERE, {"size": "7"}, action="/draw/")
    page("release-drawn", "ada", HERE)
    page("draw-of-draft", "ada", f"{HERE}draws/2/")
    tell_sample(recorder)
    page("start", "ada", f"{HERE}start/")
    act("start", "ada", f"{HERE}start/", {})
    page("release-started", "ada", HERE)


def tell_tags(recorder: Recorder) -> None:
    act, cases = recorder.act, f"{HERE}cases/"
    gulls, quiet = (recorder.code_of[f"{NAME}/{key}"] for key in ("gulls", "quiet"))
    tag = {"tag": "Tight_Schedule", "reason": "Up before dawn. 天没亮就起。"}
    act("tag-nobody", "ada", cases, tag | {"act": "add"})
    act("tag-two-words", "ada", cases, tag | {"act": "add", "tag": "two words", "case": [gulls]})
    act("tag-given", "ada", cases, tag | {"act": "add", "case": [gulls, quiet]})
    act("tag-given-again", "ada", cases, tag | {"act": "add", "case": [gulls]})
    act("tag-taken", "ada", cases, tag | {"act": "remove", "case": [quiet]})
    act("tag-reset", "ada", cases, tag | {"act": "reset", "case": [quiet]})
    out = {
        "exclusion": "exclude",
        "exclusion_reason": "Read by everybody. 都读过。",
        "case": [quiet],
    }
    act("exclude", "ada", cases, out, to=f"{cases}exclude/")
    recorder.page("case-excluded", "ada", f"/cases/{quiet}/")
    act("exclude-back", "ada", cases, out | {"exclusion": "let-in"}, to=f"{cases}exclude/")
    recorder.page("case-tagged", "mina", f"/cases/{gulls}/")


def tell_sample(recorder: Recorder) -> None:
    """The sample changed by hand: the last case swapped, one added and taken out again."""
    act, page = recorder.act, recorder.page
    rows = recorder.read("ada", f"releases/{NAME}/sample/")["sample"]
    sampled = [row["case_key"] for row in rows]
    keys = [case["case_key"] for case in make_cases()[:9]]
    spare = [key for key in keys if key not in sampled]
    last = recorder.code_of[f"{NAME}/{sampled[-1]}"]
    page("sample-add", "ada", f"{HERE}sample/add/?case={spare[0]}")
    page("sample-swap", "ada", f"{HERE}sample/{last}/swap/")
    act("sample-swap-failed", "ada", f"{HERE}sample/{last}/swap/", WHY | {"into": "broken"})
    act("sample-swapped", "ada", f"{HERE}sample/{last}/swap/", WHY | {"into": spare[0]})
    act("sample-add-silent", "ada", f"{HERE}sample/add/", {"into": spare[1], "reason": ""})
    act("sample-added", "ada", f"{HERE}sample/add/", WHY | {"into": spare[1]})
    added = recorder.code_of[f"{NAME}/{spare[1]}"]
    page("sample-remove", "ada", f"{HERE}sample/{added}/remove/")
    act("sample-removed", "ada", f"{HERE}sample/{added}/remove/", WHY)


def tell_assignments(recorder: Recorder) -> None:
    act, page = recorder.act, recorder.page
    page("assignments-none", "ada", f"{HERE}assignments/")
    plan = f"{HERE}assignments/plan/"
    page("plan-new", "ada", plan)
    page("plan-impossible", "ada", f"{plan}?chosen=1&reviewers=omar")
    act("plan-assigned", "ada", plan, {})
    recorder.learn_reviews()
    page("assignments-all", "ada", f"{HERE}assignments/")
    rush = recorder.code_of[f"{NAME}/rush"]
    rows = recorder.read("ada", f"releases/{NAME}/assignments/?limit=200")["results"]
    on_rush = sorted(row["reviewer"] for row in rows if row["case_key"] == "rush")
    own = f"{HERE}assignments/{rush}/"
    page("assignment-give", "ada", f"{own}give/")
    page("assignment-move", "ada", f"{own}{on_rush[0]}/move/")
    page("assignment-withdraw", "ada", f"{own}{on_rush[0]}/withdraw/")
    act("assignment-give-twice", "ada", f"{own}give/", {"taker": on_rush[0]})
    act("assignment-withdrawn", "ada", f"{own}{on_rush[0]}/withdraw/", WHY)
    page("assignments-lacking", "ada", f"{HERE}assignments/?show=lacking")
    act("assignment-given", "ada", f"{own}give/", {"taker": on_rush[0]})
    act("due-date", "ada", f"{HERE}assignments/", {"due_date": "2026-12-26"}, action="/due-date/")
    page("hand-on-new", "ada", f"{HERE}assignments/people/omar/hand-on/")
    recorder.learn_reviews()


def tell_desk(recorder: Recorder) -> None:
    """The desk without scripts: drafts, refusals, submits, a question, a decline."""
    act, page = recorder.act, recorder.page
    first = f"/reviews/{next(iter(recorder.find_open_reviews('rita', NAME).values()))}/"
    act("desk-draft", "rita", first, {"score:personalization": "3", "comment": "Half way. 一半。"})
    page("desk-with-draft", "rita", first)
    act("desk-incomplete", "rita", first, {"act": "submit"})
    act("desk-incoherent", "rita", first, make_form(5) | {"act": "submit"})
    act("desk-stale", "rita", first, make_form(4) | {"version": "0"})
    act("desk-submitted", "rita", first, make_form(4) | {"act": "submit"})
    page("desk-just-submitted", "rita", first)
    act("desk-revision", "rita", f"{first}?revise=1", make_form(3))
    act("desk-discarded", "rita", f"{first}?revise=1", {"comment": ""}, to=f"{first}discard/")
    ask = {"subject": "personalization.2", "text": "What pace suits a group? 团队用什么节奏？"}
    act("asked", "rita", f"{first}ask/", ask)
    page("questions-open", "ada", "/questions/")
    answer = {"text": "The slowest person sets it. 以最慢的人为准。"}
    act("question-answered", "ada", "/questions/1/", answer)
    page("scoring-with-ruling", "wei", "/scoring/")
    page("my-questions-answered", "rita", "/reviews/questions/")
    given_back = recorder.find_open_reviews("wei", NAME)
    # In English, so that omar could take it.
    english = next(key for key in ("wheels", "purse", "painter", "quiet") if key in given_back)
    decline = f"/reviews/{given_back[english]}/decline/"
    act("decline-refused", "wei", decline, {"reason": ""})
    act("declined", "wei", decline, {"cause": "language", "reason": "看不懂。"})
    page("assignments-declined", "ada", f"{HERE}assignments/")
    act("plan-after-declining", "ada", f"{HERE}assignments/plan/", {})
    recorder.learn_reviews()
    for person, value in {"rita": 4, "omar": 4, "wei": 1}.items():
        for place, review in enumerate(recorder.find_open_reviews(person, NAME).values()):
            flags = {"flags": ["broken"]} if person == "wei" and place == 1 else {}
            said = make_form(value if place < 2 else 4, 4) | {"act": "submit"} | flags
            act(f"submitted-{person}-{place}", person, f"/reviews/{review}/", said)


def tell_settling(recorder: Recorder) -> None:
    act, page = recorder.act, recorder.page
    page("close-with-missing", "mina", f"{HERE}close/")
    page("adjudications-door", "mina", f"{HERE}adjudications/")
    act("scores-opened", "mina", f"{HERE}adjudications/", {}, action="/look/")
    page("adjudications", "mina", f"{HERE}adjudications/")
    page("report-open", "mina", f"{HERE}report/")
    page("brief-open", "mina", f"{HERE}report/brief/")
    page("report-cases-open", "mina", f"{HERE}report/cases/?metric=usability-value")
    page("comparison-open", "mina", f"{HERE}compare/?with=harbour-1")
    page("release-all-in", "mina", HERE)
    page("home-mina-to-settle", "mina", "/")
    listed = recorder.read("mina", f"releases/{NAME}/adjudications/")["results"]
    for place, row in enumerate(listed):
        path = f"{HERE}adjudications/{recorder.code_of[NAME + '/' + row['case_key']]}/"
        agreed = {f"agreed-{one['metric']}": str(one["low"]) for one in row["differences"]}
        settled = agreed | {"cause": "missed-evidence", "note": "The ferry is named. 写了轮渡。"}
        if place == 0:
            page("adjudication", "mina", path)
            act("adjudication-silent", "mina", path, settled | {"note": ""})
        act(f"adjudicated-{place}", "mina", path, settled)
    page("flag", "mina", "/flags/2/")
    judged = {"outcome": "rejected", "reason": "The plan can be read. 计划读得通。"}
    act("flag-judged", "mina", "/flags/2/", judged)


def tell_closing(recorder: Recorder) -> None:
    act, page = recorder.act, recorder.page
    page("close-ready", "mina", f"{HERE}close/")
    act("closed", "mina", f"{HERE}close/", {})
    page("release-just-closed", "mina", HERE)
    page("report-to-sign", "mina", f"{HERE}report/")
    act("decision-silent", "mina", f"{HERE}decision/", {"decision": "ship", "reason": ""})
    act("decided", "mina", f"{HERE}decision/", WHY | {"decision": "ship"})
    act("archived", "ada", HERE, {"archived": "1"}, action="/archive/")
    act("reopened", "mina", f"{HERE}reopen/", WHY)
    act("abandoned", "mina", f"{HERE}abandon/", WHY)
    page("release-abandoned", "mina", HERE)
    page("trend-harbour", "mina", "/trend/?product=harbour")
    page("history-long", "mina", f"{HERE}events/")
    page("home-ada-later", "ada", "/")


def tell_people(recorder: Recorder) -> None:
    """Somebody invited, changed and let go; a token made and revoked; days away."""
    act, page = recorder.act, recorder.page
    act("absence", "wei", "/account/", {"first_date": "2026-12-01", "last_date": "2026-12-03"})
    act("absence-over", "wei", "/account/", {"first_date": "2026-01-01", "last_date": "2026-01-02"})
    page("account-wei", "wei", "/account/")
    lena = {"username": "lena", "name": "Lena", "email": "lena@example.com"}
    act("invite-taken", "ada", "/invite/", lena | {"username": "rita"})
    act("invited", "ada", "/invite/", lena)
    act("person-changed", "ada", "/people/lena/", {"capacity": "3", "roles": ["admin"]})
    act("person-deactivated", "ada", "/people/lena/", {}, action="/deactivate/")
    page("people-later", "ada", "/people/")
    tell_two_roles(recorder)


def tell_two_roles(recorder: Recorder) -> None:
    """While an own review is open, a manager sees no scores of others."""
    both = {"roles": ["reviewer", "manager"]}
    recorder.act("person-two-roles", "ada", "/people/omar/", both)
    call = recorder.call
    call("results/summary-still-judging", "omar", "GET", "releases/wayfarer-2026.11/summary/")
    call("results/verdict-still-judging", "omar", "GET", "releases/wayfarer-2026.11/verdict/")
    recorder.page("report-still-judging", "omar", f"{OPEN}report/")
    recorder.page("home-omar-two-roles", "omar", "/")
    recorder.act("person-one-role", "ada", "/people/omar/", {"roles": ["reviewer"]})
    while (answer := recorder.people["omar"].call("GET", "reviews/next/")).status_code == 200:
        waiting = answer.json()["id"]
        reason = {"cause": "conflict", "reason": "Too much. 太多了。"}
        recorder.people["omar"].call("POST", f"reviews/{waiting}/decline/", reason)
    call("reviews/next-none", "omar", "GET", "reviews/next/")
    recorder.page("home-omar-done", "omar", "/")
