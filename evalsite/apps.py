import gc

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core import checks

from evalsite import migrated


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        """Let Python look for garbage more rarely, and not through what is loaded by now.

        A draw makes very many small objects without cycles: a fourth of its time was spent looking.
        """
        checks.register(migrated.check_not_part_way, checks.Tags.database)
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)


class SpotcheckAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "evalsite.admin.SpotcheckAdminSite"
