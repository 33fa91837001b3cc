"""Translations of the tokens of the case format, and of tokens that known products use."""

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

# The fields of a request, in the order in which they are shown.
FIELDS = {
    "destination": _("destination"),
    "origin": _("from"),
    "start_date": _("dates"),
    "days": _("days"),
    "people": _("people"),
    "group_type": _("group"),
    "budget": _("money"),
    "must_visit": _("must see"),
    "avoid": _("avoid"),
    "dietary": _("diet"),
    "mobility": _("mobility"),
    "goals": _("goals"),
    "pace": _("pace"),
    "transport_preference": _("transport"),
    "lodging": _("lodging"),
}
# Values that the format allows; other words are the case's own.
VALUES = {
    "solo": _("alone"),
    "couple": _("couple"),
    "family": _("family"),
    "friends": _("friends"),
    "elderly": _("elderly"),
    "adults": _("adults"),
    "group": pgettext_lazy("who travels", "group"),
    "relaxed": _("relaxed"),
    "moderate": _("moderate"),
    "intensive": _("intensive"),
}
MODES = {
    "public_transit": _("public transport"),
    "transit": _("public transport"),
    "metro": _("metro"),
    "subway": _("metro"),
    "bus": _("bus"),
    "tram": _("tram"),
    "train": _("train"),
    "high_speed_rail": _("high-speed train"),
    "flight": _("plane"),
    "walk": _("on foot"),
    "walking": _("on foot"),
    "taxi": _("taxi"),
    "car": _("car"),
    "driving": _("car"),
    "drive": _("car"),
    "self-driving": _("own car"),
    "self_driving": _("own car"),
    "ferry": _("ferry"),
    "boat": _("boat"),
    "bike": _("bicycle"),
    "cable_car": _("cable car"),
}
ON_FOOT = ("walk", "walking")
PLAN_PARTS = {
    "tickets": _("tickets"),
    "local_transport": _("local transport"),
    "transport": _("transport"),
    "food": _("food"),
    "food_min": _("food (at least)"),
    "meals": _("meals"),
    "lodging": _("lodging"),
    "hotel": _("lodging"),
    "accommodation": _("lodging"),
    "other": _("other"),
}
GOALS = {
    "history": _("history"),
    "culture": _("culture"),
    "food": pgettext_lazy("what a trip is for", "food"),
    "photo": _("photography"),
    "night_view": _("night views"),
    "museum": _("museums"),
    "art": _("art"),
    "nature": _("nature"),
    "garden": _("gardens"),
    "seaside": _("seaside"),
    "shopping": _("shopping"),
    "theme_park": _("theme parks"),
    "indoor": _("indoors"),
    "interactive": _("hands-on"),
    "panda": _("pandas"),
    "pets": _("pets"),
    "luxury": _("luxury"),
    "business": _("business"),
    "budget_travel": _("travelling cheaply"),
    "road_trip": _("road trip"),
    "architecture": _("architecture"),
    "music": _("music"),
    "outdoor": _("outdoors"),
    "cycling": _("cycling"),
    "markets": _("markets"),
    "tea": _("tea"),
    "trains": _("trains"),
    "animals": _("animals"),
    "flowers": _("flowers"),
    "snow": _("snow"),
    "dinosaurs": _("dinosaurs"),
}
SCOPES = {
    "total": _("in all"),
    "per_person": _("per person"),
    "per_day": _("per day"),
    "per_person_per_day": _("per person and day"),
}
LODGING = {
    "entire_room": _("whole place"),
    "private_room": _("private room"),
    "not_shared": _("not shared"),
    "children_under_10": _("takes children under 10"),
    "visitors": _("visitors allowed"),
    "smoking": _("smoking allowed"),
    "parties": _("parties allowed"),
    "pets": _("pets allowed"),
}
# Field of a case -> words for its tokens.
BY_FIELD = {
    "/request/pace": VALUES,
    "/request/group_type": VALUES,
    "/request/goals": GOALS,
    "/request/transport_preference": MODES,
    "/request/lodging": LODGING,
    "/transport/mode": MODES,
}


def token_at(pointer: str, text: str) -> str | None:
    """Return our words for a token; None for words of the case itself."""
    for field, words in BY_FIELD.items():
        if pointer.startswith(field) or pointer.endswith(field):
            found = [words.get(token.strip().lower()) for token in text.split(",")]
            return listed(map(str, found)) if all(found) else None
    return None


def listed(items: Iterable[str]) -> str:
    """Join items as "a, b" in English and “a、b” in Chinese."""
    return pgettext("between the items of a list", ", ").join(items)
