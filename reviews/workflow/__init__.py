"""Everything that changes a status or writes more than one row, each a plain function.

Every act locks the release first, decides inside the transaction, and appends one event.

refusals      what an act raises when it cannot be
drawing       the draw
amending      the sample by hand: add, remove, swap, withdraw
waivers       letting a rule go, with a reason
status        start, close, abandon, reopen
assigning     who reviews what: by plan, by hand, moved, handed on, taken back
reviewing     a reviewer's own review: saved, declined
submitting    submit and revise, with what is asked about coherence
revising      what a review said before; giving a revision up
asking        questions about the rubric, and rulings
opening       looking at what others say
adjudicating  agreed scores where reviewers differ, and flags
deciding      a manager's signature
"""
