#include "sidecar/gate/sidecar_talk.h"

#include <poll.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A sidecar that lives answers within milliseconds.
constexpr Duration kAnswerLimit = seconds(5);
constexpr Duration kReconnect = milliseconds(100);
// Only 32 can watch at once; the others ask, and try again.
constexpr Duration kWatchAgain = seconds(5);
// Each such question is a step of the loop: not with every event.
constexpr Duration kKeepAgain = milliseconds(500);

std::string Escaped(const std::string& text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    escaped += {'%', kHex[byte >> 4U], kHex[byte & 0xFU]};
  }
  return escaped;
}

std::string RunQuery(const WorkRun& run) {
  std::string query;
  if (!run.id.empty()) query += "&run=" + Escaped(run.id);
  if (!run.by.empty()) query += "&by=" + run.by;
  return query;
}

bool Readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return fd >= 0 && ::poll(&one, 1, 0) > 0;
}

}  // namespace

SidecarTalk::SidecarTalk(const std::string& control_socket,
                         const std::string& lease)
    : lease_(lease), link_(control_socket), feed_(control_socket) {
  next_ = Deadline{};
}

// The route that answers for the slot that is held, where none is named, gives
// the same document.
std::string SidecarTalk::StateTarget(const Instant& now) {
  if (lease_.empty()) return "/v1/generation";
  std::string target = "/v1/status?lease=" + lease_;
  if (kept_.id.empty() || (keep_again_ && !keep_again_->Passed(now))) {
    return target;
  }
  keep_again_ = Deadline{now, kKeepAgain};
  return target + RunQuery(kept_);
}

std::string SidecarTalk::ControlTarget(const Control& control) {
  std::string target = "/v1/";
  switch (control.kind) {
    case Heard::Kind::kWork:
      target += "work";
      break;
    case Heard::Kind::kRun:
      target += "run";
      break;
    case Heard::Kind::kState:
    case Heard::Kind::kDone:
      target += "done";
      break;
  }
  target += "?generation=" + std::to_string(control.generation) +
            "&lease=" + control.lease;
  return target + RunQuery(control.run);
}

void SidecarTalk::Follow(const std::string& lease) {
  if (lease == lease_) return;
  lease_ = lease;
  feed_.Close();
  watch_again_.reset();
}

void SidecarTalk::AskAgain(const Instant& now, Duration wait) {
  if (!asking_) return;
  if (!next_ || next_->Remaining(now) > wait) next_ = Deadline{now, wait};
}

void SidecarTalk::AskControl(Heard::Kind kind, std::int64_t generation,
                             const std::string& lease, const WorkRun& run) {
  control_ = Control{kind, generation, lease, run};
}

void SidecarTalk::StopAsking() {
  asking_ = false;
  next_.reset();
  watch_again_.reset();
  feed_.Close();
  // An answer that is still owed may never come; the next question is worth a
  // new connection.
  if (link_.waiting() && question_.kind == Heard::Kind::kState) link_.Close();
}

void SidecarTalk::KeepWatching(const Instant& now) {
  if (!asking_ || feed_.fd() >= 0) return;
  if (watch_again_ && !watch_again_->Passed(now)) return;
  watch_again_ = Deadline{now, kWatchAgain};
  feed_.Open("/v1/watch" + (lease_.empty() ? "" : "?lease=" + lease_));
}

std::optional<Heard> SidecarTalk::Send(const Instant& now) {
  if (link_.waiting()) return std::nullopt;
  std::string method = "GET";
  std::string target;
  question_ = Heard{};
  if (control_) {
    question_.kind = control_->kind;
    method = "POST";
    target = ControlTarget(*control_);
    control_.reset();
  } else if (next_ && next_->Passed(now)) {
    next_.reset();
    target = StateTarget(now);
  } else {
    return std::nullopt;
  }
  question_.asked = now;
  if (const Result<void> sent = link_.Ask(method, target); !sent) {
    question_.sent = false;
    question_.text = sent.error().message;
    AskAgain(now, kReconnect);
    return question_;
  }
  KeepWatching(now);
  return std::nullopt;
}

std::optional<Heard> SidecarTalk::Receive(const Instant& now) {
  if (Readable(feed_.fd())) {
    feed_.Receive();
    AskAgain(now, Duration{0});
  }
  if (Readable(link_.fd())) {
    const bool owed = link_.waiting();
    auto answer = link_.Receive();
    if (!owed || !answer) return std::nullopt;
    if (*answer) {
      question_.status = (*answer)->status;
      question_.text = std::move((*answer)->body);
      return question_;
    }
    AskAgain(now, kReconnect);
    question_.text = answer->error().message;
    return question_;
  }
  if (link_.waiting() && Deadline{question_.asked, kAnswerLimit}.Passed(now)) {
    link_.Close();
    AskAgain(now, kReconnect);
    question_.text = "expected the sidecar to answer within 5 s, found silence";
    return question_;
  }
  return std::nullopt;
}

Duration SidecarTalk::NextDeadline(const Instant& now) const {
  if (link_.waiting()) {
    return Deadline{question_.asked, kAnswerLimit}.Remaining(now);
  }
  if (control_) return Duration{0};
  return next_ ? next_->Remaining(now) : Duration::max();
}

}  // namespace tenure
