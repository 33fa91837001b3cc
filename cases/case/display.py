"""A case for its readers: words in their language around the words of the case.

The itinerary page and the desk show the same block; what only admins and managers may see is
kept apart (`machine`).
"""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext

from cases import rubric
from cases.case.vocabulary import FIELDS, MODES, ON_FOOT, PLAN_PARTS, SCOPES, listed, token_at
from cases.facts import Calendar, Fact, Words, find_facts
from cases.facts.money import amount as in_figures
from cases.facts.topics import topics_for
from cases.itinerary.cards import Cards, build_cards
from cases.itinerary.format import Case, Request
from cases.itinerary.lanes import Lanes, build_lanes
from cases.itinerary.language import Text, Texts, detect_language
from cases.tags import detectors


@dataclass(frozen=True)
class Chip:
    """One field of the request. `is_read`: somebody read it from the text."""

    label: str
    values: tuple[Text | str, ...]
    is_read: bool


@dataclass(frozen=True)
class ShownFact:
    number: int
    key: str
    sentence: SafeString
    refs: tuple[str, ...]


@dataclass(frozen=True)
class FactGroup:
    """`question` is None for facts that inform no question of the rubric."""

    question: rubric.Question | None
    facts: tuple[ShownFact, ...]


@dataclass(frozen=True)
class Page:
    case: Case
    request: Text
    chips: tuple[Chip, ...]
    not_stated: tuple[str, ...]
    lanes: Lanes
    cards: Cards
    groups: tuple[FactGroup, ...]

    @property
    def times(self) -> SafeString | str:
        """How many items have a time, and whose order it is: told where no lane can show it."""
        shown = (one for group in self.groups for one in group.facts)
        return next((one.sentence for one in shown if one.key == "times"), "")

    @property
    def request_folds(self) -> bool:
        """A line or two stands there as it is."""
        text = self.request.text.strip()
        return len(text) > SHORT_REQUEST or "\n" in text or self.request.translation is not None


SHORT_REQUEST = 60


def read(case: Case, document: rubric.Document, *, language: str | None) -> Page:
    texts = Texts(case, language)
    cards = build_cards(case, texts)
    return Page(
        case=case,
        request=texts.whole(case.request.text, "/request/text"),
        chips=tuple(chips(case, texts)),
        not_stated=tuple(str(label) for name, label in FIELDS.items() if is_empty(case, name)),
        lanes=build_lanes(case),
        cards=cards,
        groups=tuple(grouped(case, document, frozenset(list_targets(cards)))),
    )


def translate_part(name: str, locale: str | None = None) -> SafeString:
    """A part of the plan's money, in words where it is a known one."""
    known = PLAN_PARTS.get(name)
    return conditional_escape(known) if known else quoted(name.replace("_", " "), locale)


def translate_mode(mode: str, locale: str | None = None) -> SafeString:
    known = MODES.get(mode.strip().lower())
    return conditional_escape(known) if known else quoted(mode.replace("_", " "), locale)


def is_on_foot(mode: str | None) -> bool:
    """The one way of travel that nobody goes by."""
    return (mode or "").strip().lower() in ON_FOOT


def quoted(text: str, locale: str | None) -> SafeString:
    """Words of the case inside ours: in their own language, with their own direction."""
    return format_html('<bdi lang="{}">{}</bdi>', detect_language(text, locale), text)


def is_empty(case: Case, name: str) -> bool:
    value = getattr(case.request, name)
    if name == "start_date":
        return value is None and case.request.end_date is None
    if name == "budget":
        return value is None or value.amount is None
    return value is None or value in ([], "")


def chips(case: Case, texts: Texts) -> Iterator[Chip]:
    derived = (case.source.derived if case.source else None) or ()
    for name, label in FIELDS.items():
        if not is_empty(case, name):
            names = ("start_date", "end_date") if name == "start_date" else (name,)
            is_read = any(reads(derived, one) for one in names if getattr(case.request, one))
            yield Chip(str(label), tuple(list_values(case.request, name, texts)), is_read)


def reads(derived: Any, name: str) -> bool:
    """Whether the case says that this field was not in its source: "request.*", "request.days"."""
    return any(
        one.startswith("request.*")
        or one == f"request.{name}"
        or one.startswith(f"request.{name} ")
        for one in derived
    )


def list_values(request: Request, name: str, texts: Texts) -> Iterator[Text | str]:
    value = getattr(request, name)
    if name == "start_date":
        dates = [one for one in (request.start_date, request.end_date) if one]
        yield " – ".join(format_day(one) for one in dates)
    elif name == "budget":
        yield format_money(value.amount, value.currency)
        if value.scope:
            scope = texts.of(value.scope.replace("_", " "), "/request/budget/scope")
            yield str(SCOPES[value.scope]) if value.scope in SCOPES else scope or "–"
    elif name == "days":
        yield ngettext("%(count)d day", "%(count)d days", value) % {"count": value}
    elif name == "people":
        yield ngettext("%(count)d person", "%(count)d people", value) % {"count": value}
    else:
        for place, one in enumerate(value if isinstance(value, list) else [value]):
            pointer = f"/request/{name}" + (f"/{place}" if isinstance(value, list) else "")
            yield token_at(pointer, one) or texts.of(one, pointer) or "–"


def format_day(text: str) -> str:
    return dated(datetime.date.fromisoformat(text))


def dated(day: datetime.date) -> str:
    """A date with its weekday, in the reader's language."""
    return date_format(day, pgettext("a date with its weekday, in Django's date format", "D j M Y"))


def short_dated(day: datetime.date) -> str:
    return date_format(day, pgettext("a short date with its weekday, in Django's format", "D j M"))


def format_money(amount: float | None, currency: str | None) -> str:
    if amount is None:
        return "–"
    name = (currency or "").strip()
    if not name:
        return in_figures(amount)
    is_code = len(name) == 3 and name.isascii() and name.isalpha()
    return format_html("{} {}", in_figures(amount), name if is_code else quoted(name, None))


def list_targets(cards: Cards) -> Iterator[str]:
    """The pointers of what can be jumped to."""
    yield "/plan"
    for day in cards.days:
        yield day.pointer
        for stop in day.stops:
            yield stop.pointer
            yield from (transfer.pointer for transfer in stop.transfers)
    yield from (fallback.pointer for fallback in cards.fallbacks)
    if cards.words:
        yield "/plan/notes"


def nearest(pointer: str, targets: frozenset[str]) -> str:
    """A fact may be about one text of a stop; what can be seen is the stop."""
    while pointer not in targets:
        pointer = pointer.rpartition("/")[0] or "/plan"
    return pointer


CALENDAR = Calendar(detectors.first_day, *settings.SPRING_FESTIVAL_WINDOW)


def grouped(case: Case, document: rubric.Document, targets: frozenset[str]) -> Iterator[FactGroup]:
    """Facts in the order of the questions they inform, numbered through."""
    questions = topics_for([(one.key, one.text) for one in document.questions])
    facts = find_facts(case, CALENDAR)
    number = 0
    for question in (*document.questions, None):
        key = question.key if question else None
        shown = []
        for fact in facts:
            if questions.get(fact.topic) == key:
                number += 1
                refs = tuple(dict.fromkeys(nearest(one, targets) for one in fact.refs))
                shown.append(ShownFact(number, fact.key, tell_fact(fact, case.locale), refs))
        # A question without facts stands there too, so that nobody looks for it in vain.
        if shown or (question and case.plan and case.plan.is_done):
            yield FactGroup(question, tuple(shown))


def tell_fact(fact: Fact, locale: str | None) -> SafeString:
    """A fact as a sentence; the words of the case inside it keep their own language."""
    if fact.plural:
        template = ngettext(fact.message, fact.plural, fact.params["count"])  # type: ignore[arg-type]
    else:
        template = gettext(fact.message)
    shown = {name: shown_value(value, locale) for name, value in fact.params.items()}
    if fact.key == "languages":
        shown = {name: language_name(str(tag)) for name, tag in shown.items()}
    return mark_safe(conditional_escape(template) % shown)  # noqa: S308  every part is escaped


def language_name(tag: str) -> SafeString:
    wanted = tag.split("-")[0].lower()
    return conditional_escape(
        next((name for code, name in settings.CASE_LANGUAGES if code == wanted), tag)
    )


def fragment(words: Words, locale: str | None) -> SafeString:
    """Words of the case, or our words for a token of it."""
    if words.pointer.startswith("/plan/budget/breakdown/"):
        name, _space, amount = words.text.rpartition(" ")
        return format_html("{} {}", translate_part(name, locale), amount)
    token = token_at(words.pointer, words.text)
    return conditional_escape(token) if token else quoted(words.text, locale)


def shown_value(value: Any, locale: str | None) -> SafeString | str | int:
    if isinstance(value, Words):
        return fragment(value, locale)
    if isinstance(value, tuple):
        return mark_safe(listed(str(shown_value(one, locale)) for one in value))  # noqa: S308
    if isinstance(value, datetime.date):
        return conditional_escape(dated(value))
    if isinstance(value, int):
        return value
    # Numbers of days come as "1, 3".
    return conditional_escape(listed(str(value).split(", ")))


def anchor(pointer: str) -> str:
    """The id of the HTML element that a JSON pointer leads to."""
    return "at" + pointer.replace("/", "-")
