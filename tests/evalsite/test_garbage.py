"""How rarely Python looks for garbage."""

import gc

import pytest

from evalsite.garbage import nothing_collected


def test_garbage_is_not_looked_for_meanwhile_and_is_afterwards() -> None:
    @nothing_collected()
    def fail() -> None:
        with nothing_collected():
            pass
        assert not gc.isenabled()
        raise ZeroDivisionError

    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.isenabled()
