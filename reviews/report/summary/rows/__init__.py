"""What the summary is computed from, in a dozen statements, however large the release is.

The database counts; rows are put in order here, because two databases order text in two ways.

records  what happened to the release: waivers, exclusions, rulings, adjudications, draws, acts
sample   the cases of the sample, and who submitted a review of each
marks    scores and answers, counted for each case
pairs    two reviewers on the same cases, counted
words    what reviewers wrote, and flags
"""
