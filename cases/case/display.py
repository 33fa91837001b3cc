"""Prepare a case for its readers: our words in their language around the words of the case.

The page of a case and the desk show the same content; what only admins and managers may see is
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
    """One field of the request. `is_read`: the field was read from the text."""

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
        """The fact about times, which is shown where no lane can be drawn."""
        facts = (fact for group in self.groups for fact in group.facts)
        return next((fact.sentence for fact in facts if fact.key == "times"), "")

    @property
    def request_folds(self) -> bool:
        """Whether the request is long enough to be folded."""
        text = self.request.text.strip()
        return len(text) > SHORT_REQUEST or "\n" in text or self.request.translation is not None


SHORT_REQUEST = 60


def read(case: Case, document: rubric.Document, *, language: str | None) -> Page:
    texts = Texts(case, language)
    cards = build_cards(case, texts)
    return Page(
        case=case,
        request=texts.whole(case.request.text, "/request/text"),
        chips=tuple(build_chips(case, texts)),
        not_stated=tuple(str(label) for name, label in FIELDS.items() if is_empty(case, name)),
        lanes=build_lanes(case),
        cards=cards,
        groups=tuple(group_facts(case, document, frozenset(list_targets(cards)))),
    )


def translate_part(name: str, locale: str | None = None) -> SafeString:
    """Translate a part of the plan's budget if it is a known one."""
    known = PLAN_PARTS.get(name)
    return conditional_escape(known) if known else quoted(name.replace("_", " "), locale)


def translate_mode(mode: str, locale: str | None = None) -> SafeString:
    known = MODES.get(mode.strip().lower())
    return conditional_escape(known) if known else quoted(mode.replace("_", " "), locale)


def is_on_foot(mode: str | None) -> bool:
    """Whether people walk: "10 min on foot", not "by foot"."""
    return (mode or "").strip().lower() in ON_FOOT


def quoted(text: str, locale: str | None) -> SafeString:
    """Mark up words of the case inside ours, with their own language and direction."""
    return format_html('<bdi lang="{}">{}</bdi>', detect_language(text, locale), text)


def is_empty(case: Case, name: str) -> bool:
    value = getattr(case.request, name)
    if name == "start_date":
        return value is None and case.request.end_date is None
    if name == "budget":
        return value is None or value.amount is None
    return value is None or value in ([], "")


def build_chips(case: Case, texts: Texts) -> Iterator[Chip]:
    derived = (case.source.derived if case.source else None) or ()
    for label_field, label in FIELDS.items():
        if not is_empty(case, label_field):
            fields = ("start_date", "end_date") if label_field == "start_date" else (label_field,)
            is_read = any(
                is_derived(derived, field) for field in fields if getattr(case.request, field)
            )
            yield Chip(str(label), tuple(list_values(case.request, label_field, texts)), is_read)


def is_derived(derived: Any, name: str) -> bool:
    """Whether the case says that this field was not in its source: "request.*", "request.days"."""
    return any(
        entry.startswith("request.*")
        or entry == f"request.{name}"
        or entry.startswith(f"request.{name} ")
        for entry in derived
    )


def list_values(request: Request, name: str, texts: Texts) -> Iterator[Text | str]:
    value = getattr(request, name)
    if name == "start_date":
        dates = filter(None, (request.start_date, request.end_date))
        yield " – ".join(map(format_day, dates))
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
        for place, text in enumerate(value if isinstance(value, list) else [value]):
            pointer = f"/request/{name}" + (f"/{place}" if isinstance(value, list) else "")
            yield token_at(pointer, text) or texts.of(text, pointer) or "–"


def format_day(text: str) -> str:
    return dated(datetime.date.fromisoformat(text))


def dated(day: datetime.date) -> str:
    """Format a date with its weekday, in the reader's language."""
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
    """Yield the pointers of everything that a link can lead to."""
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
    """Return the closest target: for a text of a stop, the stop itself."""
    while pointer not in targets:
        pointer = pointer.rpartition("/")[0] or "/plan"
    return pointer


CALENDAR = Calendar(detectors.first_day, *settings.SPRING_FESTIVAL_WINDOW)


def group_facts(
    case: Case, document: rubric.Document, targets: frozenset[str]
) -> Iterator[FactGroup]:
    """Group facts by the question they inform, in the order of the questions, and number them."""
    questions = topics_for([(question.key, question.text) for question in document.questions])
    facts = find_facts(case, CALENDAR)
    number = 0
    for question in (*document.questions, None):
        key = question.key if question else None
        shown = []
        for fact in facts:
            if questions.get(fact.topic) == key:
                number += 1
                refs = tuple(dict.fromkeys(nearest(ref, targets) for ref in fact.refs))
                shown.append(ShownFact(number, fact.key, render_fact(fact, case.locale), refs))
        # A question without facts is shown too, so that it does not seem to be missing.
        if shown or (question and case.plan and case.plan.is_done):
            yield FactGroup(question, tuple(shown))


def render_fact(fact: Fact, locale: str | None) -> SafeString:
    """Render a fact as a sentence; words of the case inside it keep their own language."""
    if fact.plural:
        template = ngettext(fact.message, fact.plural, fact.params["count"])  # type: ignore[arg-type]
    else:
        template = gettext(fact.message)
    shown = {name: render_value(value, locale) for name, value in fact.params.items()}
    if fact.key == "languages":
        shown = {name: language_name(str(tag)) for name, tag in shown.items()}
    return mark_safe(conditional_escape(template) % shown)  # noqa: S308  every part is escaped


def language_name(tag: str) -> SafeString:
    wanted = tag.split("-")[0].lower()
    return conditional_escape(
        next((name for code, name in settings.CASE_LANGUAGES if code == wanted), tag)
    )


def render_words(words: Words, locale: str | None) -> SafeString:
    """Render words of the case, or our words for a token of it."""
    if words.pointer.startswith("/plan/budget/breakdown/"):
        name, _space, amount = words.text.rpartition(" ")
        return format_html("{} {}", translate_part(name, locale), amount)
    token = token_at(words.pointer, words.text)
    return conditional_escape(token) if token else quoted(words.text, locale)


def render_value(value: Any, locale: str | None) -> SafeString | str | int:
    if isinstance(value, Words):
        return render_words(value, locale)
    if isinstance(value, tuple):
        return mark_safe(listed(str(render_value(item, locale)) for item in value))  # noqa: S308
    if isinstance(value, datetime.date):
        return conditional_escape(dated(value))
    if isinstance(value, int):
        return value
    # Lists of days are text such as "1, 3".
    return conditional_escape(listed(str(value).split(", ")))


def anchor(pointer: str) -> str:
    """Return the id of the HTML element for a JSON pointer."""
    return "at" + pointer.replace("/", "-")
