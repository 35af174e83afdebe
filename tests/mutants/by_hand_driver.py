"""Mutants by hand (by_hand.py): the driver and the loop around the core."""

DRIVER = "sidecar/coordinator/driver.cc"
LOOP = "sidecar/coordinator/loop.cc"

MUTANTS = {
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
    "only-a-transition-is-published": (
        DRIVER,
        "  board_->Publish(index, lane.snapshot);",
        "  if (!output.transitions.empty() || !lane.snapshot->term) "
        "board_->Publish(index, lane.snapshot);",
    ),
    "the-snapshot-is-of-before-the-step": (
        DRIVER,
        "  lane.snapshot =\n"
        "      std::make_shared<const AuthoritySnapshot>(lane.authority.Snapshot());\n"
        "  board_->Publish(index, lane.snapshot);\n",
        "  board_->Publish(index, lane.snapshot);\n"
        "  lane.snapshot =\n"
        "      std::make_shared<const AuthoritySnapshot>(lane.authority.Snapshot());\n",
    ),
    "a-fresh-read-counts-as-asked-when-it-is-answered": (
        DRIVER,
        "  read.asked = *lane.fresh_started;",
        "  read.asked = environment_.now().instant;",
    ),
    "an-expired-watch-starts-again-at-once": (
        DRIVER,
        "    if (!watch_expired) return Duration{0};",
        "    return Duration{0};",
    ),
    "the-recorder-is-told-before-anybody-else": (
        DRIVER,
        "  board_->Publish(index, lane.snapshot);\n"
        "  if (output.request) {\n"
        "    lane.request_started = now.instant;\n"
        "    StartRequest(index, *output.request);\n"
        "  }\n"
        "  for (const Transition& transition : output.transitions) {\n"
        "    recorder_->OnTransition(lane.lease.name, transition, "
        "*lane.snapshot, now);\n"
        "  }\n",
        "  for (const Transition& transition : output.transitions) {\n"
        "    recorder_->OnTransition(lane.lease.name, transition, "
        "*lane.snapshot, now);\n"
        "  }\n"
        "  board_->Publish(index, lane.snapshot);\n"
        "  if (output.request) {\n"
        "    lane.request_started = now.instant;\n"
        "    StartRequest(index, *output.request);\n"
        "  }\n",
    ),
}
