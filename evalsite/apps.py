from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class EvalsiteConfig(AppConfig):
    name = "evalsite"


class SpotcheckAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "evalsite.admin.SpotcheckAdminSite"
