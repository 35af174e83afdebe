#include "sidecar/drill/writer.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/drill/event.h"
#include "sidecar/drill/line_stream.h"
#include "sidecar/drill/store_message.h"
#include "sidecar/gate/local_link.h"

namespace tenure {
namespace {

using Kind = DrillEventKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kBetweenWrites = milliseconds(150);
// An adapter may have a runtime to start, on a machine that is busy.
constexpr Duration kStoreLimit = seconds(30);
constexpr Duration kNewsLimit = seconds(5);
// Silence of a sidecar is a no (design, "Local surface").
constexpr int kCheckMilliseconds = 1000;
constexpr int kMostRaises = 5;

class Writer {
 public:
  Writer(const WriterOptions& options, const WriterGrant& grant,
         LineStream drill)
      : options_(options),
        grant_(grant),
        drill_(std::move(drill)),
        store_(options.store),
        sidecar_(grant.status_socket) {}

  int Run() {
    DrillEvent started = Event(Kind::kStarted);
    started.pid = ::getpid();
    Tell(started);
    if (options_.fenced && !Raise()) return 1;
    while (drill_.fd() >= 0) {
      const bool hold = WaitForOrder();
      holding_ = holding_ || hold;
      if (!MayWrite()) {
        Withhold();
        continue;
      }
      withheld_ = false;
      ++writes_;
      if (std::exchange(holding_, false)) StopHere();
      // S1 does not help here: whatever passed since the check, the next
      // thing that happens is the write.
      if (!Write()) return 1;
    }
    return 1;
  }

 private:
  DrillEvent Event(Kind kind) const {
    DrillEvent event;
    event.at = ReadClocks().instant.boot;
    event.who = options_.name;
    event.kind = kind;
    event.generation = grant_.generation;
    return event;
  }

  void Tell(const DrillEvent& event) {
    if (drill_.fd() >= 0)
      std::ignore = drill_.Write(EventLine(event), kNewsLimit);
  }

  std::string WriteId() const {
    return options_.name + "-" + std::to_string(grant_.generation) + "-" +
           std::to_string(writes_);
  }

  // A new holder raises the token before its first write, so that the store
  // refuses the old one from now on.
  bool Raise() {
    StoreRequest request = Request(StoreRequest::Op::kRaise);
    for (int i = 0; i < kMostRaises; ++i) {
      request.id = options_.name + "-" + std::to_string(grant_.generation) +
                   "-raise-" + std::to_string(i);
      const auto outcome = Ask(request);
      if (outcome == StoreOutcome::kAccepted) return true;
      if (outcome == StoreOutcome::kRefused) {
        if (last_token_ < grant_.generation) {
          Trouble("the store refused a raise to " +
                  std::to_string(grant_.generation) + ", and knows only " +
                  std::to_string(last_token_) +
                  ": does it compare them as text, or have too few bits?");
        }
        return false;
      }
      WaitForOrder();
    }
    Trouble("the store did not answer a raise");
    return false;
  }

  // False: the store is of no use.
  bool Write() {
    StoreRequest request = Request(StoreRequest::Op::kWrite);
    request.id = WriteId();
    request.value = "write " + std::to_string(writes_) + " of " +
                    options_.name + " under " +
                    std::to_string(grant_.generation);
    request.fenced = options_.fenced;
    if (Ask(request) != StoreOutcome::kUnknown) return true;
    // Asked again under the same id: it is applied once.
    if (Ask(request) != StoreOutcome::kUnknown) return true;
    Trouble("the store did not answer a write");
    return false;
  }

  StoreRequest Request(StoreRequest::Op op) const {
    StoreRequest request;
    request.op = op;
    request.resource = options_.resource;
    request.token = grant_.generation;
    request.holder = grant_.holder;
    return request;
  }

  StoreOutcome Ask(const StoreRequest& request) {
    DrillEvent event = Event(Kind::kTry);
    event.op = StoreOpName(request.op);
    event.id = request.id;
    Tell(event);
    const StoreAnswer answer = store_.Ask(request, kStoreLimit);
    event.at = ReadClocks().instant.boot;
    TakeAnswer(answer, &event);
    last_token_ = answer.token;
    last_error_ = answer.error;
    Tell(event);
    return event.outcome;
  }

  void Trouble(const std::string& what) {
    DrillEvent event = Event(Kind::kTrouble);
    event.text = last_error_.empty() ? what : what + ": " + last_error_;
    Tell(event);
  }

  // Between two writes. True: the drill ordered to stop before the next one.
  bool WaitForOrder() {
    pollfd one{drill_.fd(), POLLIN, 0};
    const auto wait =
        std::chrono::duration_cast<milliseconds>(kBetweenWrites).count();
    if (::poll(&one, 1, static_cast<int>(wait)) <= 0) return false;
    const std::optional<std::string> order = drill_.Take();
    return order && *order == kHoldOrder;
  }

  // As any application would ask: is my generation held?
  bool MayWrite() {
    if (!sidecar_.Ask("GET", "/v1/generation")) return false;
    while (true) {
      pollfd one{sidecar_.fd(), POLLIN, 0};
      if (::poll(&one, 1, kCheckMilliseconds) <= 0) {
        sidecar_.Close();
        return false;
      }
      const auto got = sidecar_.Receive();
      if (!got) continue;
      if (!*got || (*got)->status != 200) return false;
      const auto said = nlohmann::json::parse((*got)->body, nullptr, false);
      return said.is_object() &&
             said.value("generation", "") == std::to_string(grant_.generation);
    }
  }

  void Withhold() {
    if (!std::exchange(withheld_, true)) Tell(Event(Kind::kWithheld));
  }

  void StopHere() {
    DrillEvent event = Event(Kind::kHolding);
    event.id = WriteId();
    Tell(event);
    ::raise(SIGSTOP);
  }

  const WriterOptions& options_;
  const WriterGrant& grant_;
  LineStream drill_;
  StoreClient store_;
  LocalLink sidecar_;
  std::string last_error_;
  std::int64_t last_token_ = 0;
  int writes_ = 0;
  bool withheld_ = false;
  bool holding_ = false;
};

}  // namespace

std::string WriterOptionsText(const WriterOptions& options) {
  const nlohmann::json text = {
      {"name", options.name},           {"news", options.news_socket},
      {"socket", options.store.socket}, {"program", options.store.program},
      {"url", options.store.url},       {"resource", options.resource},
      {"fenced", options.fenced}};
  return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<WriterOptions> ReadWriterOptions(std::string_view text) {
  const auto given = nlohmann::json::parse(text, nullptr, false);
  const auto word = [&](const char* key) {
    const auto found = given.find(key);
    return found != given.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  };
  if (!given.is_object() || word("name").empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected what tenure drill gives its writers, found something "
                "else");
  }
  return WriterOptions{word("name"),
                       word("news"),
                       {word("socket"), word("program"), word("url")},
                       word("resource"),
                       !given.contains("fenced") || given["fenced"] != false};
}

int RunDrillWriter(const WriterOptions& options, const WriterGrant& grant) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  std::signal(SIGPIPE, SIG_IGN);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  std::signal(SIGTERM, SIG_IGN);
  auto drill = LineStream::Connect(options.news_socket);
  if (!drill) {
    std::fprintf(stderr, "tenure: %s\n", drill.error().message.c_str());
    return 1;
  }
  return Writer(options, grant, *std::move(drill)).Run();
}

}  // namespace tenure
