from django import template

from evalsite.lists import join_list

register = template.Library()
register.filter("listing", join_list)
