"""The month by its name, as in the long form: 11/12/2026 is another day for every other reader."""

SHORT_DATE_FORMAT = "N j, Y"
SHORT_DATETIME_FORMAT = "N j, Y, H:i"
DATETIME_FORMAT = "N j, Y, H:i"
TIME_FORMAT = "H:i"
