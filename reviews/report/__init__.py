"""What the pages of a report show: figures of a summary in words and pictures.

Nothing is computed here that the summary could hold. Whoever shows it has asked the door before
(`reviews/views/report.py`).

figures   numbers, intervals and counts in words
links     where the rows behind a number are
first     the first screen: tiles, the criteria that decided, three cases, what is open
scores    distributions, kinds, checklist
method    coefficients, pairs, severity
rows      the cases behind a number
versus    two releases beside each other
trend     a product from release to release
brief     the same on one page, and in ninety words
"""
