import gc

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core import checks

from evalsite import migrated


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        checks.register(migrated.check_not_part_way, checks.Tags.database)
        # What is loaded by now stays: looking through it for garbage took a fifth of a draw.
        gc.freeze()


class SpotcheckAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "evalsite.admin.SpotcheckAdminSite"
