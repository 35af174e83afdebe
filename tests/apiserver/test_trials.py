"""How trials are counted and repeated."""

import pytest
from trials import ATTEMPTS, SampledTooSlowly, attempt


def test_a_trial_that_was_hardly_looked_at_is_done_again():
    calls = []

    def trial(plane):
        calls.append(plane)
        if len(calls) < ATTEMPTS:
            raise SampledTooSlowly("3 Hz")

    attempt(trial, {"plane": 7})
    assert calls == [7] * ATTEMPTS


def test_one_that_is_never_looked_at_enough_fails():
    def trial():
        raise SampledTooSlowly("3 Hz")

    with pytest.raises(SampledTooSlowly):
        attempt(trial, {})


def test_what_the_oracle_found_is_never_done_again():
    calls = []

    def trial():
        calls.append(1)
        raise AssertionError("both held")

    with pytest.raises(AssertionError, match="both held"):
        attempt(trial, {})
    assert calls == [1]
