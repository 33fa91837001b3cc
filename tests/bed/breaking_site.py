"""The site with a first page that breaks and quotes what nobody may find in the log."""

from evalsite.wsgi import application
from reviews.views import home

__all__ = ["application"]


def breaks() -> None:
    try:
        raise KeyError("rita")
    except KeyError as missing:
        raise ValueError("rita wrote: Three quiet days in Beijing") from missing


vars(home)["team"] = breaks
