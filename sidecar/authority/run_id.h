// Run ids: names of runs that are to happen once, and which of two is newer.
//
// A completed run is recorded on the Lease by the holder, in a renewal: a
// compare-and-swap like every write. Of all runs only the last is kept, so an
// older one is known by its order: numbers in the id, compared from the left,
// where all between them is the same ("billing:2026-11-29",
// "billing-29301120").
//
// Thread safety: pure functions.
#ifndef TENURE_AUTHORITY_RUN_ID_H_
#define TENURE_AUTHORITY_RUN_ID_H_

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

// What the Lease records; empty: nothing.
struct LastRun {
  std::string id;
  // The newest id of each series of ids that can be compared with each other,
  // the last recorded first, with blanks between. A series outlives runs that
  // are none of its own, such as those started by hand.
  std::string order;

  friend bool operator==(const LastRun&, const LastRun&) = default;
};

// A run that is to happen once, and who carries it out: random, so that a
// second start of the same id is another.
struct WorkRun {
  std::string id;  // empty: none
  std::string by;

  friend bool operator==(const WorkRun&, const WorkRun&) = default;
};

// None for an empty id.
WorkRun NewWorkRun(const std::string& id, const Entropy& entropy);

inline constexpr std::size_t kMaxRunId = 253;
// Series that are remembered; the one that was quiet for longest goes first.
inline constexpr std::size_t kMaxRunSeries = 8;

// 1 to 253 printable ASCII characters, no space.
Result<void> CheckRunId(std::string_view id);

// Empty: they cannot be compared.
std::optional<std::strong_ordering> CompareRunIds(std::string_view a,
                                                  std::string_view b);

enum class RunVerdict { kNew, kDone, kNotNewer };

RunVerdict JudgeRun(std::string_view id, const LastRun& last);
// Of a run that is not newer: the recorded one that it should be newer than.
std::string NewestLike(std::string_view id, const LastRun& last);
// At most kMaxRunSeries run ids with a blank between any two.
bool IsRunOrder(std::string_view text);

// What is recorded once `id` is done. REQUIRES: it is new.
LastRun AfterRun(std::string_view id, const LastRun& last);

}  // namespace tenure

#endif  // TENURE_AUTHORITY_RUN_ID_H_
