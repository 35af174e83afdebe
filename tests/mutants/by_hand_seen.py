"""Mutants by hand (by_hand.py): what is seen of the Lease and asked by people,
and what readers are told."""

OBSERVE = "sidecar/authority/authority_observe.cc"
OBSERVATION = "sidecar/authority/observation.cc"
LEASE_RECORD = "sidecar/authority/lease_record.cc"
CONTROL = "sidecar/authority/authority_control.cc"
WORK_REGISTRY = "sidecar/authority/work_registry.cc"
REPORT = "sidecar/authority/authority_report.cc"
SNAPSHOT = "sidecar/authority/authority_snapshot.cc"

MUTANTS = {
    "an-event-settles-an-acquisition": (
        OBSERVE,
        "  // An event is no ground for authority (S3): one",
        "  if (!acquire_unknown_ || Settle(input.record)) acquire_unknown_ = false;\n"
        "  // An event is no ground for authority (S3): one",
    ),
    "any-event-replaces-the-read-that-is-due": (
        OBSERVE,
        "  if (unsettled_.empty() && !acquire_unknown_ && !release_) read_due_ = false;",
        "  read_due_ = false;",
    ),
    "a-lease-created-anew-leaves-the-term": (
        OBSERVE,
        "  if (record.uid != term_->uid) {\n"
        '    EndTerm("deleted");\n'
        "  } else if",
        "  if",
    ),
    "a-higher-generation-leaves-the-term": (
        OBSERVE,
        "ParseGeneration(*record.generation).value_or(0) >\n"
        "                 term_->generation",
        "ParseGeneration(*record.generation).value_or(0) <\n"
        "                 0",
    ),
    "a-copys-write-leaves-the-term": (
        OBSERVE,
        "  } else if (WrittenByHolder(record) && !IsOwnMark(record.write)) {\n"
        "    // Our name, but not a write of ours: a copy of this process.\n"
        '    EndTerm("copied");\n'
        "  }",
        "  }",
    ),
    "no-fresh-read-is-overtaken": (
        OBSERVE,
        "  if (input.asked.boot > record_heard_.boot) return false;",
        "  return false;",
    ),
    "old-events-are-believed": (
        OBSERVE,
        "  if (seen_.IsOld(input.record)) return;\n",
        "",
    ),
    "only-the-last-duration-counts": (
        OBSERVATION,
        "        same_holder ? std::max(longest_under_holder_, seconds) : seconds;\n",
        "      seconds;\n",
    ),
    "a-deletion-shortens-the-wait": (
        OBSERVATION,
        "  longest_under_name_ = std::max(longest_under_name_, seconds);\n",
        "",
    ),
    "a-record-that-cannot-be-read-has-a-new-holder": (
        OBSERVATION,
        "  if (record.unreadable.empty()) {\n"
        "    const bool same",
        "  {\n"
        "    const bool same",
    ),
    "what-somebody-typed-is-remembered": (
        OBSERVATION,
        "  if (record.generation && !record.write.empty()) {",
        "  if (record.generation) {",
    ),
    "an-absence-does-not-restart-the-wait": (
        OBSERVATION,
        "  if (changed) since_ = received;\n"
        "  presence_ = Presence::kAbsent;",
        "  presence_ = Presence::kAbsent;",
    ),
    "a-relabelling-restarts-the-wait": (
        LEASE_RECORD,
        "  return before.uid != after.uid ||",
        "  return before.resource_version != after.resource_version ||\n"
        "         before.uid != after.uid ||",
    ),
    "the-marks-repeat": (
        LEASE_RECORD,
        "  for (std::uint64_t word : entropy) {\n",
        "  for (std::uint64_t word : Entropy{}) {\n",
    ),
    "an-emptied-holder-is-free": (
        LEASE_RECORD,
        "  return record.unreadable.empty() && record.holder.empty() &&\n"
        "         record.duration_seconds == 1;\n",
        "  return record.unreadable.empty() && record.holder.empty();\n",
    ),
    "becoming-unreadable-is-no-change": (
        LEASE_RECORD,
        " ||\n"
        "         before.unreadable != after.unreadable;",
        ";",
    ),
    "a-new-mark-is-no-change": (
        LEASE_RECORD,
        "before.generation != after.generation || before.write != after.write ||",
        "before.generation != after.generation ||",
    ),
    "a-mark-is-known-by-its-beginning": (
        LEASE_RECORD,
        "record.write.compare(0, colon, record.holder) == 0",
        "record.write.starts_with(record.holder)",
    ),
    "a-release-does-not-wait-for-the-work": (
        CONTROL,
        "  if (work_.running() > 0 && !CANARY(kReleasesUnderWork)) {\n",
        "  if (false) {\n",
    ),
    "a-drain-does-not-wait-for-the-work": (
        CONTROL,
        "  if (term_ && work_.running() == 0) release_wanted_ = true;\n"
        "}\n"
        "\n"
        "}  // namespace tenure",
        "  if (term_) release_wanted_ = true;\n"
        "}\n"
        "\n"
        "}  // namespace tenure",
    ),
    "work-starts-while-a-release-waits": (
        CONTROL,
        "  if (draining_ || release_wanted_) {",
        "  if (draining_) {",
    ),
    "one-done-is-enough-to-release-when-draining": (
        CONTROL,
        "  if (draining_ && term_ && work_.running() == 0) release_wanted_ = true;",
        "  if (draining_ && term_) release_wanted_ = true;",
    ),
    "any-generation-may-be-given-up": (
        CONTROL,
        "void LeaseAuthority::State::On(const GiveUp& input) {\n"
        "  if (!term_ || term_->generation != input.generation) {",
        "void LeaseAuthority::State::On(const GiveUp& input) {\n"
        "  if (!term_) {",
    ),
    "a-floor-ends-no-term": (
        CONTROL,
        '  if (term_ && floor_ >= term_->generation) EndTerm("floor");\n',
        "",
    ),
    "a-floor-can-be-lowered": (
        CONTROL,
        "  floor_ = std::max(floor_, input.floor);",
        "  floor_ = input.floor;",
    ),
    "one-done-ends-all-work-of-its-generation": (
        WORK_REGISTRY,
        "  if (found == by_generation_.end()) return false;\n"
        "  if (--found->second == 0) by_generation_.erase(found);\n"
        "  --running_;",
        "  if (found == by_generation_.end()) return false;\n"
        "  running_ -= static_cast<std::size_t>(found->second); "
        "by_generation_.erase(found);",
    ),
    "the-wall-clock-is-looked-at-only-to-renew": (
        REPORT,
        "    next = std::min(next, kClockLook);\n",
        "",
    ),
    "a-reader-sees-no-hidden-pause": (
        SNAPSHOT,
        "  if (term.clock_doubt || PauseWasHidden(term.sent, now)) {",
        "  if (term.clock_doubt) {",
    ),
    "a-reader-sees-no-silence": (
        SNAPSHOT,
        "  if (LongestElapsed(grounds.server_seen, now.instant) >=\n"
        "      grounds.silence_limit) {",
        "  if (false) {",
    ),
    "a-reader-sees-no-end-of-the-claim": (
        SNAPSHOT,
        "    if (elapsed < term.valid_for) return",
        "    return",
    ),
}
