"""Mutants by hand (by_hand.py): what becomes of answers and terms."""

AUTHORITY = "sidecar/authority/lease_authority.cc"

MUTANTS = {
    "a-term-counts-from-the-answer": (
        AUTHORITY,
        "  term.sent = CANARY(kCountsFromTheAnswer) ? now_ : write.sent;\n",
        "  term.sent = now_;\n",
    ),
    "a-renewal-counts-from-the-answer": (
        AUTHORITY,
        "  term_->sent = CANARY(kCountsFromTheAnswer) ? now_ : write.sent;\n",
        "  term_->sent = now_;\n",
    ),
    "a-term-begins-without-doubt": (
        AUTHORITY,
        "  term.clock_doubt = PauseWasHidden(write.sent, now_);\n",
        "",
    ),
    "a-draining-term-outlives-a-suspension": (
        AUTHORITY,
        "    const Duration elapsed = LongestElapsed(term_->sent.instant, "
        "now_.instant);\n"
        "    const Duration over",
        "    const Duration elapsed =\n"
        "        draining_ ? ShortestElapsed(term_->sent.instant, now_.instant)\n"
        "                  : LongestElapsed(term_->sent.instant, now_.instant);\n"
        "    const Duration over",
    ),
    "a-late-answer-is-taken-for-the-newest": (
        AUTHORITY,
        "  if (!pending_ || pending_->id != input.id) return;",
        "  if (!pending_) return;",
    ),
    "a-renewal-of-any-term-extends": (
        AUTHORITY,
        "  if (!term_ || term_->serial != landed->term) return false;\n",
        "  if (!term_) return false;\n",
    ),
    "an-unknown-acquisition-is-a-failure": (
        AUTHORITY,
        "  if (error.code != ErrorCode::kOutcomeUnknown &&\n"
        "      error.code != ErrorCode::kConflict) {\n",
        "  if (error.code != ErrorCode::kConflict) {\n",
    ),
    "a-settled-acquisition-counts-from-the-read": (
        AUTHORITY,
        "    BeginTerm(*landed);\n",
        "    landed->sent = now_;\n"
        "    BeginTerm(*landed);\n",
    ),
    "a-settled-renewal-counts-from-the-read": (
        AUTHORITY,
        "  Extend(*landed);\n",
        "  landed->sent = now_;\n"
        "  Extend(*landed);\n",
    ),
    "any-renewal-clears-the-doubt": (
        AUTHORITY,
        "(term_->clock_doubt && !write.after_doubt) ||\n"
        "                       PauseWasHidden",
        "PauseWasHidden",
    ),
    "a-term-begins-under-the-floor": (
        AUTHORITY,
        "  if (floor_ >= write.generation) return;\n",
        "",
    ),
    "a-term-begins-though-its-claim-is-over": (
        AUTHORITY,
        "  if (LongestElapsed(write.sent.instant, now_.instant) >= valid_for_) "
        "return;\n",
        "",
    ),
    "a-term-that-begins-draining-does-not-wait-for-the-work": (
        AUTHORITY,
        "  release_wanted_ = draining_ && work_.running() == 0;",
        "  release_wanted_ = draining_;",
    ),
    "a-release-is-over-whatever-is-read": (
        AUTHORITY,
        "  if (!still_ours) EndRelease(",
        "  EndRelease(",
    ),
    "any-release-form-acknowledges-ours": (
        AUTHORITY,
        "EndRelease(IsReleased(record) && IsOwnMark(record.write))",
        "EndRelease(IsReleased(record))",
    ),
    "a-renewal-answered-201-ends-nothing": (
        AUTHORITY,
        '    if (term_) EndTerm("recreated");\n',
        "",
    ),
    "retry-after-is-believed-without-a-limit": (
        AUTHORITY,
        "        Gate{now_.instant, std::clamp(retry_after, std::min(base, interval),\n"
        "                                      std::max(base, interval))};",
        "        Gate{now_.instant, retry_after};",
    ),
    "a-409-to-a-renewal-is-not-read": (
        AUTHORITY,
        "  if (error.code == ErrorCode::kConflict &&\n"
        "      write.kind == RequestKind::kAcquire &&\n"
        "      write.based_on",
        "  if (error.code == ErrorCode::kConflict &&\n"
        "      write.based_on",
    ),
    "a-409-to-an-acquisition-is-not-settled": (
        AUTHORITY,
        "  const bool first = unsettled_.empty();",
        "  if (error.code == ErrorCode::kConflict && write.kind == "
        "RequestKind::kAcquire) { read_due_ = true; return; }\n"
        "  const bool first = unsettled_.empty();",
    ),
    "an-unknown-acquisition-is-standby": (
        AUTHORITY,
        "    if (write.kind == RequestKind::kAcquire) acquire_unknown_ = true;\n",
        "",
    ),
    "an-unreadable-record-settles-what-is-unknown": (
        AUTHORITY,
        "    if (!acquire_unknown_) return;\n"
        "    read_due_ = true;\n",
        "    acquire_unknown_ = false;\n"
        "    return;\n"
        "    read_due_ = true;\n",
    ),
    "a-contested-mark-is-forgotten": (
        AUTHORITY,
        "  if (kind != RequestKind::kRead && error.code != "
        "ErrorCode::kOutcomeUnknown &&\n"
        "      error.code != ErrorCode::kConflict) {\n"
        "    std::erase",
        "  if (kind != RequestKind::kRead && error.code != "
        "ErrorCode::kOutcomeUnknown) {\n"
        "    std::erase",
    ),
    "a-mark-of-unknown-outcome-is-forgotten": (
        AUTHORITY,
        "  if (kind != RequestKind::kRead && error.code != "
        "ErrorCode::kOutcomeUnknown &&\n"
        "      error.code != ErrorCode::kConflict) {\n"
        "    std::erase",
        "  if (kind != RequestKind::kRead && error.code != ErrorCode::kConflict) {\n"
        "    std::erase",
    ),
    "a-release-is-given-up-while-others-still-wait": (
        AUTHORITY,
        "                      TakeOverWait(options_.times.lease_duration_seconds,\n"
        "                                   options_.times.drift_ppm)) {\n"
        "    EndRelease(false);",
        "                      valid_for_) {\n"
        "    EndRelease(false);",
    ),
    "who-released-does-not-stand-back": (
        AUTHORITY,
        "  // Giving up means that another may have it first.\n"
        "  stand_back_ = Gate{now_.instant, schedule_.Interval()};\n",
        "",
    ),
}
