"""Name the month: readers disagree about which day 11/12/2026 is."""

SHORT_DATE_FORMAT = "N j, Y"
SHORT_DATETIME_FORMAT = "N j, Y, H:i"
DATETIME_FORMAT = "N j, Y, H:i"
TIME_FORMAT = "H:i"
