"""Mutants that no rule makes: what a person could have written instead.

Each names the source, the text that stands there exactly once, and what would
stand there instead.
"""

import by_hand_answers
import by_hand_driver
import by_hand_seen
import by_hand_writes
import operators

BY_HAND = {
    **by_hand_answers.MUTANTS,
    **by_hand_writes.MUTANTS,
    **by_hand_seen.MUTANTS,
    **by_hand_driver.MUTANTS,
}


def mutants(read):
    """`read(path)` gives a source's text. Raises if a text does not stand there
    exactly once."""
    for name, (path, before, after) in BY_HAND.items():
        text = read(path)
        if text.count(before) != 1:
            raise ValueError(f"{name}: {path} has {text.count(before)} of {before!r}")
        line = text[: text.index(before)].count("\n") + 1
        what = f"{before.strip()}  ->  {after.strip() or 'nothing'}"
        yield operators.Mutant(
            name, path, line, " ".join(what.split()), text.replace(before, after)
        )
