"""Figures of a summary as its pages print them."""

from django import template

from reviews.report import numbers, sentences

register = template.Library()

register.filter("points", numbers.format_points)
register.filter("change", numbers.format_change)
register.filter("percent", numbers.round_percent)
register.filter("reason", sentences.translate_reason)
