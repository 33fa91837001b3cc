"""Stops the clock of every Python process of a recorded site at the moment it is told.

Python imports a module of this name at start. Times, and the digests that are taken over them, are
then the same in every recording.
"""

import os
from datetime import datetime

import time_machine

time_machine.travel(datetime.fromisoformat(os.environ["GOLDEN_NOW"]), tick=False).start()
