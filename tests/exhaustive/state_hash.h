// StateHash: 128 bits that stand for a state, independent of what can not make
// two states behave differently: when it is, which names and random bits are in
// use, and how far the revisions have run.
//
// Texts and serials that are only ever compared for equality are replaced by
// the order in which they are first met; instants are told relative to now, and
// numbers (generations and resource versions) on a scale of their own.
//
// Thread safety: one thread at a time.
#ifndef TENURE_TESTS_EXHAUSTIVE_STATE_HASH_H_
#define TENURE_TESTS_EXHAUSTIVE_STATE_HASH_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/instant.h"

namespace tenure::exhaustive {

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

// What is done with a number: compared with others, raised by one above the
// greatest of some, and reached by the server's revision, which counts by one.
// So above the revision distances are kept, and below it the order and whether
// a number is the next one, or the one after that.
class NumberScale {
 public:
  void Add(std::int64_t number) { numbers_.push_back(number); }
  // No more are added. The server is at `revision`.
  void Finish(std::int64_t revision);
  // REQUIRES: finished, and `number` was added.
  std::int64_t Of(std::int64_t number) const;

 private:
  std::int64_t revision_ = 0;
  std::vector<std::int64_t> numbers_;  // rising
  std::vector<std::int64_t> scaled_;
};

class StateHash {
 public:
  // Only collects the numbers of a state.
  explicit StateHash(NumberScale* numbers) : numbers_(numbers) {}
  // Numbers are told on this scale; null: as they are.
  explicit StateHash(const NumberScale* scale) : scale_(scale) {}

  // As it is.
  void Add(std::int64_t value) {
    if (numbers_ != nullptr) return;
    const auto word = static_cast<std::uint64_t>(value);
    high_ = Mixed(high_ ^ word);
    low_ = Mixed(low_ + word * 0x9E3779B97F4A7C15ULL + 1);
  }
  void Add(Duration value) { Add(value.count()); }
  void AddText(std::string_view text);

  // A text by the order in which it was first met; an empty one is itself. The
  // text must outlive this.
  void AddName(std::string_view name) {
    if (numbers_ == nullptr) Add(Order(name, &names_));
  }
  // Serial numbers are each node's own: those of the next one begin.
  void BeginNode() { serials_.clear(); }
  // A serial number; 0 is itself.
  void AddSerial(std::uint64_t serial) {
    Add(serial == 0 ? 0 : Order(serial, &serials_) + 1);
  }
  // A generation or a resource version; 0 means none.
  void AddNumber(std::int64_t number);
  // A decimal as the Lease bears it.
  void AddDecimal(const std::string& text);

  // Every text named so far.
  const std::vector<std::string_view>& names() const { return names_; }

  Fingerprint Get() const { return {high_, low_}; }

 private:
  // splitmix64's finalizer.
  static std::uint64_t Mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  template <typename T>
  static std::int64_t Order(const T& one, std::vector<T>* known) {
    std::size_t at = 0;
    while (at < known->size() && (*known)[at] != one) ++at;
    if (at == known->size()) known->push_back(one);
    return static_cast<std::int64_t>(at);
  }

  NumberScale* const numbers_ = nullptr;
  const NumberScale* const scale_ = nullptr;
  std::uint64_t high_ = 0x243F6A8885A308D3ULL;
  std::uint64_t low_ = 0x13198A2E03707344ULL;
  std::vector<std::string_view> names_{std::string_view()};
  std::vector<std::uint64_t> serials_;
};

}  // namespace tenure::exhaustive

#endif  // TENURE_TESTS_EXHAUSTIVE_STATE_HASH_H_
