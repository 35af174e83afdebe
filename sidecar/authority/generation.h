// The generation: the fencing token, and the witnesses it is raised above (S7).
//
// Thread safety: values and pure functions.
#ifndef TENURE_AUTHORITY_GENERATION_H_
#define TENURE_AUTHORITY_GENERATION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sidecar/authority/lease_record.h"
#include "sidecar/base/error.h"

namespace tenure {

// Largest generation or witness ever accepted: JSON numbers and doubles stay
// exact up to here.
inline constexpr std::int64_t kMaxGeneration = (std::int64_t{1} << 53) - 1;

// A positive decimal without sign, spaces or leading zeros, at most
// kMaxGeneration. Errors: kInvalidArgument, saying what was found.
Result<std::int64_t> ParseGeneration(std::string_view text);

// The highest that leaves a generation above it.
inline constexpr std::int64_t kMaxFloor = kMaxGeneration - 1;

// As a generation, but from 0, a store that has accepted nothing, to kMaxFloor.
Result<std::int64_t> ParseFloor(std::string_view text);

struct Witnesses {
  std::int64_t highest_seen = 0;    // by this process
  std::int64_t min_generation = 0;  // configuration
  std::int64_t floor = 0;           // reported by the application
};

// 1 + max(the record's annotation, the record's resource version, witnesses).
// Errors: kInvalidArgument with the way out: a malformed annotation or one
// above kMaxGeneration (min_generation replaces it), a resource version that is
// not a decimal, a result above kMaxGeneration.
Result<std::int64_t> NextGeneration(const LeaseRecord& record,
                                    const Witnesses& witnesses);

// The holder's own generation, or 0: no annotation, malformed, or not written
// by the present holder.
std::int64_t HolderGeneration(const LeaseRecord& record);

// -1, 0, 1 as `a` is older, equal, newer; both decimals of any length. A text
// that is not a decimal is older than every decimal.
int CompareResourceVersions(std::string_view a, std::string_view b);

}  // namespace tenure

#endif  // TENURE_AUTHORITY_GENERATION_H_
