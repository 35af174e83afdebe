#include "sidecar/drill/stage.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/descendants.h"
#include "sidecar/gate/waiter.h"

namespace tenure {
namespace {

using Kind = DrillEventKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<const char*, kMostContenders> kNames = {
    "one", "two", "three", "four", "five", "six", "seven", "eight"};
// How often each sidecar is asked.
constexpr Duration kLook = milliseconds(50);
// An adapter may have a runtime to start, on a machine that is busy.
constexpr Duration kStoreLimit = seconds(30);
constexpr Duration kStarting = seconds(30);
constexpr Duration kEnding = seconds(10);
constexpr std::size_t kMostEvents = 20'000;
constexpr std::size_t kMostCorrespondents = 64;

// Short, because a socket's path may have 107 bytes. "": it could not be made.
std::string MakeFolder(const std::string& scratch) {
  std::string pattern = scratch + "/tenure-drill-XXXXXX";
  return ::mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
}

}  // namespace

Stage::Stage(const DrillOptions& options, const std::string& drill,
             SignalSource* signals)
    : options_(options),
      lease_(options.lease + "-" + drill),
      signals_(signals),
      start_(ReadClocks().instant),
      folder_(MakeFolder(options.scratch)),
      server_(options, folder_) {
  // Whatever loses its parent comes here, and is ended with the rest.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Stage::~Stage() {
  store_.reset();
  KillEverything();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

const char* Stage::NameOf(std::size_t number) { return kNames.at(number); }

Result<void> Stage::Open() {
  if (folder_.empty()) {
    return Fail(ErrorCode::kUnavailable,
                "expected to make a folder in " + options_.scratch +
                    ", found: " + std::system_category().message(errno) +
                    "; set TMPDIR to one that can be written");
  }
  Result<Descriptor> listener = ListenAt(folder_ + "/news");
  if (!listener) return std::unexpected(listener.error());
  listener_ = *std::move(listener);
  if (const auto ok = OpenStore(); !ok) return ok;
  if (!options_.embedded) return {};
  return server_.Start();
}

Result<void> Stage::OpenStore() {
  if (options_.store) {
    target_ = *options_.store;
  } else {
    target_.socket = folder_ + "/store";
    ChildOrder order;
    order.words = {"drill-store", target_.socket, folder_ + "/store.sqlite"};
    order.log = folder_ + "/store.log";
    order.signals = options_.signals;
    Result<Child> child = StartChild(order);
    if (!child) return std::unexpected(child.error());
    if (!child->out.Read(kStarting)) {
      return Fail(ErrorCode::kUnavailable,
                  "expected the store to start, found: " + LastLine(order.log));
    }
  }
  store_ = std::make_unique<StoreClient>(target_);
  StoreRequest request;
  request.op = StoreRequest::Op::kReset;
  const StoreAnswer answer = AskStore(request);
  if (answer.result == StoreAnswer::Result::kOk) return {};
  return Fail(ErrorCode::kUnavailable,
              "expected the store to answer a reset with ok, found: " +
                  (answer.error.empty() ? AnswerLine(answer) : answer.error));
}

Result<Contender*> Stage::Add(
    bool relayed, const std::vector<std::string>& run_flags,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  const std::string name = NameOf(contenders_.size());
  std::vector<std::string> flags = {"--preset", options_.preset, "--lease",
                                    lease_};
  flags.insert(flags.end(), run_flags.begin(), run_flags.end());
  if (options_.embedded) {
    const auto kubeconfig = server_.KubeconfigFor(name, relayed);
    if (!kubeconfig) return std::unexpected(kubeconfig.error());
    flags.insert(flags.end(), {"--kubeconfig", *kubeconfig});
  } else {
    flags.insert(flags.end(), options_.server_flags.begin(),
                 options_.server_flags.end());
  }
  contenders_.push_back(std::make_unique<Contender>(
      folder_, options_.signals,
      WriterOptions{name, folder_ + "/news", target_, lease_,
                    options_.fenced}));
  Contender* const made = contenders_.back().get();
  if (const auto ok = made->StartSidecar(flags, environment); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = made->StartWrapper(); !ok) {
    return std::unexpected(ok.error());
  }
  return made;
}

void Stage::Close() {
  if (interrupted_ != 0 || options_.embedded) return;
  for (const auto& contender : contenders_) {
    contender->StopWork(WriterOf(contender->name()));
  }
  const auto all = [this](bool (Contender::*ended)() const) {
    return std::ranges::all_of(contenders_, [ended](const auto& contender) {
      return (contender.get()->*ended)();
    });
  };
  std::ignore = Until("the writers to end", kEnding,
                      [&] { return all(&Contender::HasStoppedWork); });
  for (const auto& contender : contenders_) contender->StopSidecar();
  std::ignore = Until("the sidecars to release", kEnding,
                      [&] { return all(&Contender::HasEnded); });
}

Result<void> Stage::Until(const std::string& what, Duration limit,
                          const std::function<bool()>& reached) {
  const Deadline deadline{ReadClocks().instant, limit};
  while (!reached()) {
    if (interrupted_ != 0) {
      return Fail(ErrorCode::kUnavailable, "interrupted");
    }
    if (!trouble_.empty()) return Fail(ErrorCode::kUnavailable, trouble_);
    const Duration left = deadline.Remaining(ReadClocks().instant);
    if (left <= Duration{0}) {
      return Fail(ErrorCode::kDeadlineExceeded,
                  "expected " + what + " within " +
                      std::to_string(
                          std::chrono::duration_cast<seconds>(limit).count()) +
                      " s, found that it did not come to that");
    }
    Pump(left);
  }
  return {};
}

Result<void> Stage::Wait(Duration time) {
  const Deadline deadline{ReadClocks().instant, time};
  return Until("time to pass", time + kStarting,
               [&deadline] { return deadline.Passed(ReadClocks().instant); });
}

// One look at everything that has something to say.
void Stage::Pump(Duration most) {
  const Instant before = ReadClocks().instant;
  if (look_at_.Passed(before)) {
    look_at_ = Deadline{before, kLook};
    for (const auto& contender : contenders_) {
      if (auto event = contender->Ask(before)) Record(*std::move(event));
    }
  }
  timer_.Arm(std::min(most, look_at_.Remaining(before)));
  std::vector<pollfd> fds = {{timer_.fd(), POLLIN, 0},
                             {signals_->fd(), POLLIN, 0},
                             {listener_.get(), POLLIN, 0}};
  for (const Correspondent& one : correspondents_) {
    fds.push_back({one.line.fd(), POLLIN, 0});
  }
  for (const auto& contender : contenders_) {
    fds.push_back({contender->fd(), POLLIN, 0});
  }
  ::poll(fds.data(), fds.size(), -1);
  timer_.Clear();
  TakeSignals();
  if (fds[2].revents != 0) Listen();
  for (Correspondent& one : correspondents_) TakeNews(&one);
  std::erase_if(correspondents_,
                [](const Correspondent& one) { return one.line.fd() < 0; });
  const Instant now = ReadClocks().instant;
  for (const auto& contender : contenders_) {
    if (contender->fd() >= 0) {
      if (auto event = contender->Receive(now)) Record(*std::move(event));
    }
    const auto ok = contender->LookAfter(now);
    if (!ok && trouble_.empty()) trouble_ = ok.error().message;
  }
}

void Stage::Listen() {
  Descriptor made(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (made.get() >= 0 && correspondents_.size() < kMostCorrespondents) {
    correspondents_.push_back({LineStream(std::move(made)), {}});
  }
}

void Stage::TakeNews(Correspondent* from) {
  while (const auto line = from->line.Take()) {
    Result<DrillEvent> event = ReadEventLine(*line);
    if (!event) continue;
    if (event->kind == Kind::kStarted) from->started = *event;
    if (event->kind == Kind::kTrouble && trouble_.empty()) {
      trouble_ = event->text;
    }
    Record(*std::move(event));
  }
  if (from->line.fd() >= 0 || from->started.who.empty()) return;
  DrillEvent gone = from->started;
  gone.kind = Kind::kGone;
  gone.at = ReadClocks().instant.boot;
  Record(std::move(gone));
}

void Stage::TakeSignals() {
  for (const int signal : signals_->Take()) {
    if (EndsPrograms(signal)) interrupted_ = signal;
  }
}

Duration Stage::SinceStart(Duration boot) const {
  return std::max(boot - start_.boot, Duration{0});
}

Duration Stage::Now() const { return SinceStart(ReadClocks().instant.boot); }

void Stage::Record(DrillEvent event) {
  if (events_.size() >= kMostEvents) {
    trouble_ = "expected fewer than 20000 events in a drill, found more";
    return;
  }
  event.at = SinceStart(event.at);
  event.before = SinceStart(event.before);
  events_.push_back(std::move(event));
}

void Stage::Say(Kind kind, const std::string& who, const std::string& text) {
  DrillEvent event;
  event.at = ReadClocks().instant.boot;
  event.kind = kind;
  event.who = who;
  event.text = text;
  Record(event);
  if (!options_.narrate) return;
  std::array<char, 32> when{};
  std::snprintf(when.data(), when.size(), "%7.2f s  ",
                std::chrono::duration<double>(Now()).count());
  options_.narrate(std::string(when.data()) + text);
}

pid_t Stage::WriterOf(const std::string& who) const {
  for (const Correspondent& one : correspondents_) {
    if (one.started.who == who) return static_cast<pid_t>(one.started.pid);
  }
  return 0;
}

Result<std::string> Stage::HoldWriter(Contender* contender) {
  for (Correspondent& one : correspondents_) {
    if (one.started.who == contender->name()) {
      std::ignore = one.line.Write(kHoldOrder, kStoreLimit);
    }
  }
  const std::size_t from = events_.size();
  std::string id;
  const auto holding = [&] {
    for (std::size_t i = from; i < events_.size(); ++i) {
      const DrillEvent& event = events_[i];
      if (event.kind == Kind::kHolding && event.who == contender->name()) {
        id = event.id;
      }
    }
    return !id.empty() && IsStopped(WriterOf(contender->name()));
  };
  if (const auto ok = Until("the writer of " + contender->name() +
                                " to stop between its check and its write",
                            kStarting, holding);
      !ok) {
    return std::unexpected(ok.error());
  }
  return id;
}

void Stage::Freeze(Contender* contender) {
  DrillEvent event;
  event.before = contender->last_asked().boot;
  contender->Freeze();
  event.at = ReadClocks().instant.boot;
  event.who = contender->name();
  event.kind = Kind::kFrozen;
  Record(std::move(event));
}

void Stage::ResumeGuards(Contender* contender) {
  DrillEvent event;
  event.at = ReadClocks().instant.boot;
  event.who = contender->name();
  event.kind = Kind::kResumed;
  Record(std::move(event));
  contender->ResumeGuards();
}

StoreAnswer Stage::AskStore(StoreRequest request) {
  request.resource = lease_;
  return store_->Ask(request, kStoreLimit);
}

void Stage::RecordNow(DrillEvent event) {
  event.at = ReadClocks().instant.boot;
  Record(std::move(event));
}

}  // namespace tenure
