"""Detect the tags of a case, each with its strength and a reason. See docs/tags.md.

No Django here. A finding has its sentence as a template, which is translated when it is shown.
"""

from .detection import detect
from .festival import DEFAULT, Window, first_day
from .found import Found, Strength

__all__ = ["DEFAULT", "Found", "Strength", "Window", "detect", "first_day"]
