"""The fields of a stored case that the format does not know."""

from typing import Any

from cases.itinerary.extra_fields import other_fields

FULL: dict[str, Any] = {
    "schema": "itinerary-case/1",
    "case_key": "k1",
    "id": "a",
    "release": {"product": "p", "version": "1", "commit": None},
    "locale": "en",
    "source": {"request": {"anything": 1}, "plan": None, "checks": [2], "derived": ["locale"]},
    "request": {"text": "t", "budget": {"amount": 1, "currency": "CNY", "scope": "total"}},
    "plan": {
        "status": "done",
        "days": [
            {
                "day": 1,
                "items": [{"title": "a", "transport": {"mode": "bus", "from": "x", "to": "y"}}],
            }
        ],
        "budget": {"total": 1, "breakdown": {"food": 2}},
        "fallbacks": [{"day": 1, "title": "b", "reason": None, "note": None}],
        "notes": ["n"],
    },
    "automated_checks": {"a": {"status": "pass", "evidence": {"why": 1}}},
    "automated_summary": {"status": "PASS", "score": 1},
    "tags": ["t"],
    "produced_by": ["rita"],
    "translations": {"zh": {"request": {"text": "译"}, "plan": {"days": [{"summary": "译"}]}}},
    "slots": {"x": 1},
    "slots_weak": [],
}


def test_a_full_case_has_no_other_fields() -> None:
    assert other_fields(FULL) == []
    assert other_fields({}) == []


def test_an_unknown_field_comes_whole_with_its_pointer() -> None:
    data = FULL | {"priority": {"a": [1, 2]}}
    assert other_fields(data) == [("/priority", {"a": [1, 2]})]


def test_unknown_fields_are_found_at_every_depth() -> None:
    item = {"title": "a", "colour": "red", "transport": {"mode": "bus", "line": 4}}
    data = {
        "request": {"text": "t", "budget": {"amount": 1, "about": True}},
        "plan": {"days": [{}, {"items": [{}, item]}], "budget": {"vat": 0.1}},
        "automated_checks": {"a": {"status": "pass", "ms": 3}},
        "translations": {"zh": {"requests": {}}},
    }
    assert other_fields(data) == [
        ("/automated_checks/a/ms", 3),
        ("/plan/budget/vat", 0.1),
        ("/plan/days/1/items/1/colour", "red"),
        ("/plan/days/1/items/1/transport/line", 4),
        ("/request/budget/about", True),
        ("/translations/zh/requests", {}),
    ]


def test_what_is_under_other_comes_leaf_by_leaf() -> None:
    other: dict[str, Any] = {
        "result": {
            "days": [{}, {"slot": "noon"}],
            "issues": [],
            "extra": {},
            "trace": None,
        }
    }
    assert other_fields({"other": other}) == [
        ("/other/result/days/1/slot", "noon"),
        ("/other/result/extra", {}),
        ("/other/result/issues", []),
        ("/other/result/trace", None),
    ]


def test_other_may_be_a_value_of_its_own() -> None:
    assert other_fields({"other": "by hand"}) == [("/other", "by hand")]
    assert other_fields({"request": {"other": {"a": 1}}}) == [("/request/other", {"a": 1})]


def test_the_order_does_not_hang_on_the_order_of_the_keys() -> None:
    forwards = {"b": 1, "a": 2, "other": {"y": 3, "x": list(range(11))}}
    backwards = {"other": {"x": list(range(11)), "y": 3}, "a": 2, "b": 1}
    found = other_fields(forwards)
    assert found == other_fields(backwards)
    assert [pointer for pointer, value in found][-3:] == ["/other/x/9", "/other/x/10", "/other/y"]


def test_a_key_with_a_slash_is_escaped() -> None:
    assert other_fields({"a/b~c": 1}) == [("/a~1b~0c", 1)]


def test_a_value_of_another_type_is_no_concern_here() -> None:
    assert other_fields({"plan": "none", "request": [{"x": 1}], "translations": 3}) == []
