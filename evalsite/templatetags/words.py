from django import template

from evalsite.lists import listing

register = template.Library()
register.filter(listing)
