// Chance: the world's one source of randomness, integers only.
#ifndef TENURE_TESTS_SIM_CHANCE_H_
#define TENURE_TESTS_SIM_CHANCE_H_

#include <cstdint>

#include "sidecar/base/instant.h"
#include "sidecar/base/prng.h"

namespace tenure::sim {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : prng_(seed) {}

  std::uint64_t Next() { return prng_.Next(); }
  // True `permille` times in a thousand.
  bool Permille(std::int64_t permille) {
    return static_cast<std::int64_t>(prng_.Below(1000)) < permille;
  }
  // Uniform in [low, high]. REQUIRES: low <= high.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     prng_.Below(static_cast<std::uint64_t>(high - low) + 1));
  }
  Duration Between(Duration low, Duration high) {
    return Duration{Between(low.count(), high.count())};
  }
  // Mostly near `low`, sometimes far: each halving of the chance doubles it.
  Duration LongTail(Duration low, Duration high) {
    Duration bound = low;
    while (bound < high && Permille(500)) bound *= 2;
    return Between(bound / 2, bound < high ? bound : high);
  }

 private:
  Prng prng_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_CHANCE_H_
