"""Everything that changes a status or writes more than one row, each a plain function.

Every act locks the release first, decides inside the transaction, and appends one event.

refusals      what an act raises when it cannot be
drawing       the draw
amending      the sample by hand: add, remove, swap, withdraw
waivers       letting a rule go, with a reason
status        start, close, abandon, reopen
reviewing     assign, submit
adjudicating  agreed scores where reviewers differ
deciding      a manager's signature
"""
