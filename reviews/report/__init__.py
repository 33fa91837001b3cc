"""The report of a release: its summary, its verdict, and the pages and API that show them.

Pages compute nothing that the summary could hold; the views check who may read it.

summary/       every figure, stored with its digest at closing
verdict/       from a summary to GO, HOLD, NO-GO or NOT ENOUGH EVIDENCE
views, api     pages and API calls
first_screen   evidence, the criteria that decided, the weakest question, what is open
key_figures    the tiles: each metric, the cases within one point, the change
cases_to_open  three cases to open first
scores         distributions, kinds, checklist
method         coefficients, pairs, severity
documents      findings, disagreements, remarks, the sample
comparison     two releases side by side
trend          a product from release to release
brief          the report on one page, and in ninety words
cases_behind   the cases behind a number
charts         SVG, drawn by templates/reviews/report/charts/
numbers, sentences   figures and reasons in the reader's language
links          addresses of the cases behind a number
headline       what lists and trends show of a closed release
"""
