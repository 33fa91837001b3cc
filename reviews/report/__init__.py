"""What the pages of a report show: figures of a summary in words and pictures.

Nothing is computed here that the summary could hold. Whoever shows it has asked the door before
(`reviews/report/views.py`).

figures   numbers, intervals and counts in words
links     where the rows behind a number are
first     the first screen: evidence, the criteria that decided, the weakest question
tiles     its tiles
standouts three cases to open
standing  what is open, amended or waived
scores    distributions, kinds, checklist
method    coefficients, pairs, severity
papers    findings, disagreements, words, the sample
rows      the cases behind a number
versus    two releases beside each other
trend     a product from release to release
brief     the same on one page, and in ninety words
"""
