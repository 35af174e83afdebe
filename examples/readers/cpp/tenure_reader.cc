#include "tenure_reader.h"

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace tenure {
namespace {

// A sidecar that says nothing for so long is lost.
constexpr std::chrono::seconds kAnswerWithin(1);
// Between questions while not held and nothing comes.
constexpr std::chrono::seconds kUnheard(20);
constexpr std::chrono::milliseconds kReopenAfter(500);

// The digits right after `key`, if `end` follows them; else "". No JSON parser:
// a quote inside a JSON string is escaped, so no name that others chose can
// look like a key.
std::string Digits(const std::string& document, const std::string& key,
                   const char* end, std::size_t most) {
  const std::size_t at = document.find(key);
  if (at == std::string::npos) return "";
  const std::size_t first = at + key.size();
  const std::size_t last = document.find_first_not_of("0123456789", first);
  if (last == std::string::npos || last - first > most) return "";
  if (document.find_first_of(end, last) != last) return "";
  return document.substr(first, last - first);
}

// An answer that is not understood is no authority.
Claim Read(const HttpAnswer& answer, BootTime asked) {
  if (answer.status == 409) return Claim::None("standby");
  if (answer.status == 503) return Claim::None("uncertain");
  if (answer.status != 200) {
    return Claim::None("the sidecar answered " + std::to_string(answer.status));
  }
  const std::string generation =
      Digits(answer.body, "\"generation\":\"", "\"", 16);
  const std::string left = Digits(answer.body, "\"toRenewBy\":", ",}", 9);
  if (generation.empty() || generation[0] == '0' || left.empty()) {
    return Claim::None("the answer was not understood");
  }
  const std::chrono::milliseconds told(std::stoll(left));
  return Claim::Held(generation, asked + told);
}

}  // namespace

Claim Claim::None(std::string why) {
  Claim claim;
  claim.why_ = std::move(why);
  return claim;
}

Claim Claim::Held(std::string generation, BootTime until) {
  Claim claim;
  claim.generation_ = std::move(generation);
  claim.until_ = until;
  return claim;
}

std::optional<std::string> Claim::Generation() const {
  if (!held() || SinceBoot() >= until_) return std::nullopt;
  return generation_;
}

std::string Claim::Why() const {
  return held() ? "past the time it was told" : why_;
}

Reader::Reader(std::string address, const std::string& lease)
    : address_(std::move(address)),
      query_(lease.empty() ? "" : "?lease=" + lease) {}

std::string Reader::Request(const std::string& path) const {
  return "GET " + path + query_ +
         " HTTP/1.1\r\nHost: localhost\r\n"
         "Accept: application/json\r\nConnection: close\r\n\r\n";
}

Claim Reader::Ask() const {
  const BootTime asked = SinceBoot();  // before asking: answers are slow (S1)
  // One deadline for all of it: what comes byte by byte is no answer.
  const BootTime deadline = asked + kAnswerWithin;
  const std::optional<HttpAnswer> answer =
      HttpExchange(address_, Request("/v1/generation"), deadline);
  if (answer) return Read(*answer, asked);
  return Claim::None(SinceBoot() >= deadline ? "no answer within a second"
                                             : "no sidecar to ask");
}

void Reader::Watch(const std::function<bool(const Claim&)>& give) const {
  while (true) {
    Connection stream(address_, Request("/v1/watch"),
                      SinceBoot() + kAnswerWithin);
    Connection::Heard heard = Connection::Heard::kSomething;
    while (stream.open() && heard != Connection::Heard::kEnd) {
      const Claim claim = Ask();
      if (!give(claim)) return;
      std::string cue;
      heard = stream.Read(claim.held() ? claim.until() : SinceBoot() + kUnheard,
                          &cue);
    }
    if (!give(Ask())) return;
    std::this_thread::sleep_for(kReopenAfter);
  }
}

}  // namespace tenure
