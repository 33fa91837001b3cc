"""The site with a first page that breaks and quotes what nobody may find in the log."""

from evalsite.wsgi import application
from reviews.home import views as home_views

__all__ = ["application"]

NAME = "rita"
CASE_TEXT = "Three quiet days in Beijing"


def breaks() -> None:
    try:
        raise KeyError(NAME)
    except KeyError as missing:
        raise ValueError(f"{NAME} wrote: {CASE_TEXT}") from missing


vars(home_views)["count_team"] = breaks
