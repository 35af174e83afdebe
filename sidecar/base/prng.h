// Prng: small seeded generator for jitter and simulation. Never for secrets or
// nonces. The sequence for a seed is the same on every compiler.
#ifndef TENURE_BASE_PRNG_H_
#define TENURE_BASE_PRNG_H_

#include <cstdint>

namespace tenure {

// splitmix64. Thread safety: one thread at a time.
class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  // Uniform in [0, bound). REQUIRES: bound > 0. The bias of the modulo is below
  // 2^-32 for every bound under 2^32, and jitter does not care.
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace tenure

#endif  // TENURE_BASE_PRNG_H_
