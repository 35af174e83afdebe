// Digest: one number for a whole history. Equal on every compiler and machine
// for one seed, or the seed is not what reproduces it.
#ifndef TENURE_TESTS_SIM_DIGEST_H_
#define TENURE_TESTS_SIM_DIGEST_H_

#include <string>

#include "tests/sim/history.h"

namespace tenure::sim {

// FNV-1a over everything the history recorded but its clocks.
std::uint64_t Digest(const History& history);

// "seed digest" for the first seeds, two simulated minutes each, one a line.
std::string Digests();

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_DIGEST_H_
