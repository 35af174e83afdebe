"""Mutants by hand (by_hand.py): what is written, and when."""

REQUESTS = "sidecar/authority/authority_requests.cc"
GENERATION = "sidecar/authority/generation.cc"
RENEWAL_SCHEDULE = "sidecar/authority/renewal_schedule.cc"

MUTANTS = {
    "any-mark-acknowledges": (
        REQUESTS,
        "(CANARY(kTrustsAnyMark) || record.write == write.mark)",
        "true",
    ),
    "no-write-carries-a-uid": (
        REQUESTS,
        "    write.uid = sent.uid = record.uid;\n",
        "    sent.uid = record.uid;\n",
    ),
    "no-write-carries-a-resource-version": (
        REQUESTS,
        "    write.resource_version = sent.based_on = record.resource_version;\n",
        "    sent.based_on = record.resource_version;\n",
    ),
    "the-document-is-not-handed-back": (
        REQUESTS,
        "    write.document = record.document;\n",
        "",
    ),
    "the-generation-is-kept-on-return": (
        REQUESTS,
        "CANARY(kReturnsWithItsGeneration) && record.holder",
        "record.holder",
    ),
    "the-term-outlives-its-release": (
        REQUESTS,
        '    EndTerm("released");\n',
        "",
    ),
    "a-create-names-its-holder": (
        REQUESTS,
        "    write.duration_seconds = options_.times.lease_duration_seconds;\n"
        "  } else",
        "    write.duration_seconds = options_.times.lease_duration_seconds;\n"
        "    write.holder = options_.identity;\n"
        "  } else",
    ),
    "a-create-is-the-release-form": (
        REQUESTS,
        "    write.duration_seconds = options_.times.lease_duration_seconds;\n"
        "  } else",
        "    write.duration_seconds = 1;\n"
        "  } else",
    ),
    "the-own-name-is-enough-to-return": (
        REQUESTS,
        "IsOwnMark(seen_.record().write) && work_.running() == 0;\n",
        "work_.running() == 0;\n",
    ),
    "returning-does-not-wait-for-the-work": (
        REQUESTS,
        "IsOwnMark(seen_.record().write) && work_.running() == 0;\n",
        "IsOwnMark(seen_.record().write);\n",
    ),
    "another-uid-acknowledges": (
        REQUESTS,
        "record.unreadable.empty() && record.uid == write.uid &&",
        "record.unreadable.empty() &&",
    ),
    "another-generation-acknowledges": (
        REQUESTS,
        "         record.generation == std::to_string(write.generation) &&\n",
        "",
    ),
    "another-duration-acknowledges": (
        REQUESTS,
        " &&\n"
        "         record.duration_seconds == options_.times.lease_duration_seconds;",
        ";",
    ),
    "another-holder-acknowledges": (
        REQUESTS,
        "         record.holder == options_.identity &&\n"
        "         (CANARY",
        "         (CANARY",
    ),
    "any-mark-of-ours-acknowledges": (
        REQUESTS,
        "record.write == write.mark)",
        "IsOwnMark(record.write))",
    ),
    "every-renewal-counts-as-sent-after-the-doubt": (
        REQUESTS,
        "sent->after_doubt = term_->clock_doubt;",
        "sent->after_doubt = true;",
    ),
    "the-floor-is-no-witness": (
        REQUESTS,
        "  witnesses.floor = floor_;\n",
        "",
    ),
    "the-configured-minimum-is-no-witness": (
        REQUESTS,
        "  witnesses.min_generation = options_.min_generation;\n",
        "",
    ),
    "only-our-own-generations-are-witnesses": (
        REQUESTS,
        "      std::max(highest_generation_, seen_.highest_generation());",
        "      highest_generation_;",
    ),
    "only-the-generations-seen-are-witnesses": (
        REQUESTS,
        "      std::max(highest_generation_, seen_.highest_generation());",
        "      seen_.highest_generation();",
    ),
    "a-silence-is-no-reason-to-read": (
        REQUESTS,
        "  if (MustRead() || Silent(now)) return",
        "  if (MustRead()) return",
    ),
    "a-doubt-does-not-hurry-the-renewal": (
        REQUESTS,
        "    if (term_->clock_doubt || term_->run_due) {",
        "    if (term_->run_due) {",
    ),
    "what-is-deleted-is-created-at-once": (
        REQUESTS,
        "    create_gate_ = Gate{now_.instant, schedule_.Interval()};\n",
        "",
    ),
    "a-renewal-restates-the-records-duration": (
        REQUESTS,
        "  write->duration_seconds = release ? 1 : "
        "options_.times.lease_duration_seconds;",
        "  write->duration_seconds = release ? 1 : "
        "seen_.record().duration_seconds.value_or(2);",
    ),
    "the-resource-version-is-no-witness": (
        GENERATION,
        "  highest = std::max(highest, *version);\n",
        "",
    ),
    "the-generation-is-not-raised": (
        GENERATION,
        "  return highest + 1;\n",
        "  return highest;\n",
    ),
    "renewals-are-not-jittered": (
        RENEWAL_SCHEDULE,
        "  return interval -\n"
        "         interval * static_cast<std::int64_t>(jitter_.Below(1000)) / 10'000;\n",
        "  return interval;\n",
    ),
    "the-claim-has-no-drift": (
        RENEWAL_SCHEDULE,
        "  if (!times.foreign_contenders) return Stretched(full, -times.drift_ppm);\n",
        "  if (!times.foreign_contenders) return full;\n",
    ),
    "the-wait-has-no-drift": (
        RENEWAL_SCHEDULE,
        "  return Stretched(seconds(seconds_good), drift_ppm);\n",
        "  return seconds(seconds_good);\n",
    ),
    "a-foreign-contenders-drift-is-not-allowed-for": (
        RENEWAL_SCHEDULE,
        "  return Duration(cut.count() / (kMillion + times.drift_ppm) * kMillion);",
        "  return cut;",
    ),
    "a-foreign-contenders-second-is-not-allowed-for": (
        RENEWAL_SCHEDULE,
        "Stretched(full - seconds(1), -times.drift_ppm)",
        "Stretched(full, -times.drift_ppm)",
    ),
}
