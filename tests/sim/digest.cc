#include "tests/sim/digest.h"

#include <string_view>
#include <type_traits>

#include "tests/sim/world.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kSeeds = 32;

class Fnv {
 public:
  template <typename... Values>
  void Add(const Values&... values) {
    (One(values), ...);
  }
  std::uint64_t value() const { return value_; }

 private:
  void Byte(unsigned char byte) {
    value_ = (value_ ^ byte) * 1'099'511'628'211ULL;
  }
  void One(std::string_view text) {
    for (const char c : text) Byte(static_cast<unsigned char>(c));
    Byte(0);
  }
  void One(Duration time) { One(time.count()); }
  void One(const Instant& instant) { Add(instant.boot, instant.raw); }
  template <typename Number>
    requires(std::is_integral_v<Number> || std::is_enum_v<Number>)
  void One(Number number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8U) {
      Byte(static_cast<unsigned char>(bits));
    }
  }

  std::uint64_t value_ = 14'695'981'039'346'656'037ULL;
};

}  // namespace

std::uint64_t Digest(const History& history) {
  Fnv fnv;
  for (const Published& one : history.published) {
    fnv.Add(one.at, one.node, one.lease, one.alive, one.grounds.settled,
            one.grounds.server_seen);
    if (!one.grounds.term) continue;
    fnv.Add(one.grounds.term->generation, one.grounds.term->sent.instant,
            one.grounds.term->clock_doubt);
  }
  for (const Sent& one : history.sent) {
    fnv.Add(one.at, one.node, one.lease, one.process, one.id, one.kind,
            one.generation, std::string_view(one.mark));
  }
  for (const Applied& one : history.applied) {
    fnv.Add(one.at, one.node, one.lease, one.kind, one.generation,
            std::string_view(one.holder), one.created);
  }
  for (const StoreWrite& one : history.store_writes) {
    fnv.Add(one.at, one.node, one.lease, one.generation, one.term, one.accepted,
            one.corrupts);
  }
  for (const Transitioned& one : history.transitions) {
    fnv.Add(one.at, one.node, one.lease, one.kind, one.generation,
            std::string_view(one.reason));
  }
  for (const Incident& one : history.incidents) {
    fnv.Add(one.at, one.kind, one.node, one.lease, one.number);
  }
  for (const std::int64_t count : history.faults) fnv.Add(count);
  return fnv.value();
}

std::string Digests() {
  std::string text;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    World world(PlanWorld(seed, std::chrono::minutes(2)));
    world.Run();
    text += std::to_string(seed) + " " +
            std::to_string(Digest(world.history())) + "\n";
  }
  return text;
}

}  // namespace tenure::sim
