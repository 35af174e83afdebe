"""Mutants that no rule makes: what a person could have written instead.

Each names the source, the text that stands there exactly once, and what would
stand there instead.
"""

import operators

AUTHORITY = "sidecar/authority/"
DRIVER = "sidecar/coordinator/driver.cc"

BY_HAND = {
    "a-term-counts-from-the-answer": (
        AUTHORITY + "lease_authority.cc",
        "  term.sent = CANARY(kCountsFromTheAnswer) ? now_ : write.sent;\n",
        "  term.sent = now_;\n",
    ),
    "a-renewal-counts-from-the-answer": (
        AUTHORITY + "lease_authority.cc",
        "  term_->sent = CANARY(kCountsFromTheAnswer) ? now_ : write.sent;\n",
        "  term_->sent = now_;\n",
    ),
    "a-term-begins-without-doubt": (
        AUTHORITY + "lease_authority.cc",
        "  term.clock_doubt = PauseWasHidden(write.sent, now_);\n",
        "",
    ),
    "a-draining-term-outlives-a-suspension": (
        AUTHORITY + "lease_authority.cc",
        "    const Duration elapsed = LongestElapsed(term_->sent.instant, now_.instant);\n"
        "    const Duration over",
        "    const Duration elapsed =\n"
        "        draining_ ? ShortestElapsed(term_->sent.instant, now_.instant)\n"
        "                  : LongestElapsed(term_->sent.instant, now_.instant);\n"
        "    const Duration over",
    ),
    "any-mark-acknowledges": (
        AUTHORITY + "authority_requests.cc",
        "(CANARY(kTrustsAnyMark) || record.write == write.mark)",
        "true",
    ),
    "no-write-carries-a-uid": (
        AUTHORITY + "authority_requests.cc",
        "    write.uid = sent.uid = record.uid;\n",
        "    sent.uid = record.uid;\n",
    ),
    "no-write-carries-a-resource-version": (
        AUTHORITY + "authority_requests.cc",
        "    write.resource_version = sent.based_on = record.resource_version;\n",
        "    sent.based_on = record.resource_version;\n",
    ),
    "the-document-is-not-handed-back": (
        AUTHORITY + "authority_requests.cc",
        "    write.document = record.document;\n",
        "",
    ),
    "the-generation-is-kept-on-return": (
        AUTHORITY + "authority_requests.cc",
        "CANARY(kReturnsWithItsGeneration) && record.holder",
        "record.holder",
    ),
    "the-resource-version-is-no-witness": (
        AUTHORITY + "generation.cc",
        "  highest = std::max(highest, *version);\n",
        "",
    ),
    "the-generation-is-not-raised": (
        AUTHORITY + "generation.cc",
        "  return highest + 1;\n",
        "  return highest;\n",
    ),
    "a-release-does-not-wait-for-the-work": (
        AUTHORITY + "authority_control.cc",
        "  if (work_.running() > 0 && !CANARY(kReleasesUnderWork)) {\n",
        "  if (false) {\n",
    ),
    "a-drain-does-not-wait-for-the-work": (
        AUTHORITY + "authority_control.cc",
        "  if (term_ && work_.running() == 0) release_wanted_ = true;\n"
        "}\n\n}  // namespace tenure",
        "  if (term_) release_wanted_ = true;\n}\n\n}  // namespace tenure",
    ),
    "a-late-answer-is-taken-for-the-newest": (
        AUTHORITY + "lease_authority.cc",
        "  if (!pending_ || pending_->id != input.id) return;",
        "  if (!pending_) return;",
    ),
    "a-renewal-of-any-term-extends": (
        AUTHORITY + "lease_authority.cc",
        "  if (!term_ || term_->serial != landed->term) return false;\n",
        "  if (!term_) return false;\n",
    ),
    "renewals-are-not-jittered": (
        AUTHORITY + "renewal_schedule.cc",
        "  return interval -\n"
        "         interval * static_cast<std::int64_t>(jitter_.Below(1000)) / "
        "10'000;\n",
        "  return interval;\n",
    ),
    "the-term-outlives-its-release": (
        AUTHORITY + "authority_requests.cc",
        '    EndTerm("released");\n',
        "",
    ),
    "an-unknown-acquisition-is-a-failure": (
        AUTHORITY + "lease_authority.cc",
        "  if (error.code != ErrorCode::kOutcomeUnknown &&\n"
        "      error.code != ErrorCode::kConflict) {\n",
        "  if (error.code != ErrorCode::kConflict) {\n",
    ),
    "a-create-names-its-holder": (
        AUTHORITY + "authority_requests.cc",
        "    write.duration_seconds = options_.times.lease_duration_seconds;\n"
        "  } else",
        "    write.duration_seconds = options_.times.lease_duration_seconds;\n"
        "    write.holder = options_.identity;\n  } else",
    ),
    "a-create-is-the-release-form": (
        AUTHORITY + "authority_requests.cc",
        "    write.duration_seconds = options_.times.lease_duration_seconds;\n"
        "  } else",
        "    write.duration_seconds = 1;\n  } else",
    ),
    "the-own-name-is-enough-to-return": (
        AUTHORITY + "authority_requests.cc",
        "IsOwnMark(seen_.record().write) && work_.running() == 0;\n",
        "work_.running() == 0;\n",
    ),
    "returning-does-not-wait-for-the-work": (
        AUTHORITY + "authority_requests.cc",
        "IsOwnMark(seen_.record().write) && work_.running() == 0;\n",
        "IsOwnMark(seen_.record().write);\n",
    ),
    "a-relabelling-restarts-the-wait": (
        AUTHORITY + "lease_record.cc",
        "  return before.uid != after.uid ||",
        "  return before.resource_version != after.resource_version ||\n"
        "         before.uid != after.uid ||",
    ),
    "the-marks-repeat": (
        AUTHORITY + "lease_record.cc",
        "  for (std::uint64_t word : entropy) {\n",
        "  for (std::uint64_t word : Entropy{}) {\n",
    ),
    "only-the-last-duration-counts": (
        AUTHORITY + "observation.cc",
        "        same_holder ? std::max(longest_under_holder_, seconds) : seconds;\n",
        "      seconds;\n",
    ),
    "an-emptied-holder-is-free": (
        AUTHORITY + "lease_record.cc",
        "  return record.unreadable.empty() && record.holder.empty() &&\n"
        "         record.duration_seconds == 1;\n",
        "  return record.unreadable.empty() && record.holder.empty();\n",
    ),
    "the-claim-has-no-drift": (
        AUTHORITY + "renewal_schedule.cc",
        "  if (!times.foreign_contenders) return Stretched(full, -times.drift_ppm);\n",
        "  if (!times.foreign_contenders) return full;\n",
    ),
    "the-wait-has-no-drift": (
        AUTHORITY + "renewal_schedule.cc",
        "  return Stretched(seconds(seconds_good), drift_ppm);\n",
        "  return seconds(seconds_good);\n",
    ),
    "the-request-leaves-before-the-end-is-published": (
        DRIVER,
        "  board_->Publish(index, lane.snapshot);\n"
        "  if (output.request) {\n"
        "    lane.request_started = now.instant;\n"
        "    StartRequest(index, *output.request);\n"
        "  }\n",
        "  if (output.request) {\n"
        "    lane.request_started = now.instant;\n"
        "    StartRequest(index, *output.request);\n"
        "  }\n"
        "  board_->Publish(index, lane.snapshot);\n",
    ),
    "a-fresh-check-rides-on-one-under-way": (
        DRIVER,
        "    if (fresh_waiting.empty() || !fresh_serving.empty()) {\n",
        "    if (fresh_waiting.empty()) {\n",
    ),
    "the-deadlines-are-not-looked-at": (
        DRIVER,
        "        Step(i, Tick{});\n",
        "",
    ),
    "an-expired-watch-starts-where-it-was": (
        DRIVER,
        'from_now ? "" : lane.authority.WatchFrom()',
        "lane.authority.WatchFrom()",
    ),
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
