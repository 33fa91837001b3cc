"""The report of a release: its summary, its verdict, and the pages and API that show them.

Pages compute nothing that the summary could hold; the views check who may read it. The words of a
page are in its templates, those of the verdict in `verdict/`.

summary/       every figure, stored with its digest at closing
verdict/       from a summary to GO, HOLD, NO-GO or NOT ENOUGH EVIDENCE
views, api     pages and API calls
first_screen   cards, what decided, what was done by hand
cases_to_open  three cases to open first
findings       weak questions, findings, disagreements, flags, remarks
statistics     scores, agreement, reviewers, the sample
comparison     two releases side by side
trend          a product from release to release
brief          the report in ninety words
cases_behind   the cases behind a number
charts         SVG, drawn by templates/reviews/report/charts/
numbers, sentences   figures and reasons in the reader's language
links          addresses of the cases behind a number
headline       what lists and trends show of a closed release
"""
