"""Detectors: a case -> tags, each with its strength and the reason in words. See docs/tags.md.

No Django here. A finding carries its sentence as a template; whoever shows it translates it.
"""

from .detection import detect
from .festival import DEFAULT, Window, first_day
from .found import Found, Strength

__all__ = ["DEFAULT", "Found", "Strength", "Window", "detect", "first_day"]
