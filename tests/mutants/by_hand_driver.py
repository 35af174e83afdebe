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
    "a-watch-is-opened-at-every-pump": (
        DRIVER,
        "  lane.watch_running = wanted;\n"
        "  if (!wanted) {\n",
        "  lane.watch_running = false;\n"
        "  if (!wanted) {\n",
    ),
    "a-closed-watch-is-opened-by-the-driver-as-well": (
        DRIVER,
        "      if (event->kind == WatchEvent::Kind::kExpired) {\n"
        "        lane.watch_running = false;\n",
        "      lane.watch_running = lane.watch_running && TellsState(*event);\n"
        "      if (event->kind == WatchEvent::Kind::kExpired) {\n",
    ),
    "fresh-reads-follow-each-other-at-once": (
        DRIVER,
        "    if (!fresh_started) return Duration{0};\n",
        "    return Duration{0};\n",
    ),
    "a-posted-task-is-lost": (
        LOOP,
        "    task();\n",
        "",
    ),
    "a-place-in-the-queue-is-never-free-again": (
        LOOP,
        "    state_->posted_.fetch_sub(1);\n"
        "    task();\n",
        "    task();\n",
    ),
    "what-is-refused-is-counted": (
        LOOP,
        "    state_->posted_.fetch_sub(1);\n"
        "    return false;\n",
        "    return false;\n",
    ),
    "the-queue-is-not-bounded": (
        LOOP,
        "  if (state_->posted_.fetch_add(1) >= kMaxPosted) {\n",
        "  if (state_->posted_.fetch_add(1) < 0) {\n",
    ),
    "a-wake-is-forgotten-after-the-first": (
        LOOP,
        "    pump_posted_ = false;\n",
        "",
    ),
    "no-wake-pumps": (
        LOOP,
        "    boost::asio::post(context_, [this] { Pump(); });\n",
        "",
    ),
    "the-loop-wakes-only-to-beat": (
        LOOP,
        "    const Duration due = std::min(driver_->Pump(), kBeat);\n",
        "    driver_->Pump();\n"
        "    const Duration due = kBeat;\n",
    ),
    "the-loop-wakes-only-for-deadlines": (
        LOOP,
        "    const Duration due = std::min(driver_->Pump(), kBeat);\n",
        "    const Duration due = driver_->Pump();\n",
    ),
    "the-deadline-is-that-of-the-pump-before": (
        LOOP,
        "    timer_.expires_after(due);\n",
        "    if (timer_.expiry() <= std::chrono::steady_clock::now()) {\n"
        "      timer_.expires_after(due);\n"
        "    }\n",
    ),
    "a-timer-that-was-replaced-pumps": (
        LOOP,
        "      if (!error) Pump();\n",
        "      Pump();\n",
    ),
    "the-loop-never-beats": (
        LOOP,
        "    board_->Beat(ReadClocks().instant);\n",
        "",
    ),
    "what-is-left-runs-after-the-end": (
        LOOP,
        "  state_->context_.run();\n",
        "  state_->context_.run();\n"
        "  state_->context_.restart();\n"
        "  state_->context_.poll();\n",
    ),
    "a-finished-drain-ends-nothing": (
        LOOP,
        "    if (driver_->Finished()) {\n",
        "    if (false) {\n",
    ),
    "a-drain-has-no-limit": (
        LOOP,
        "          if (!error) state_->End(Exit::kDrainTimeout);\n",
        "",
    ),
    "a-stop-waits-in-the-queue": (
        LOOP,
        "  boost::asio::post(state_->context_, [this] { "
        "state_->End(Exit::kStopped); });\n",
        "  Post([this] { state_->End(Exit::kStopped); });\n",
    ),
    "a-drain-waits-in-the-queue": (
        LOOP,
        "  boost::asio::post(state_->context_, [this, limit] {\n",
        "  Post([this, limit] {\n",
    ),
}
