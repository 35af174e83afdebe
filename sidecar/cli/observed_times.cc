#include "sidecar/cli/observed_times.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

std::unexpected<Error> Unexpected(const char* found) {
  return Fail(
      ErrorCode::kInvalidArgument,
      std::string("expected the status document of one lease, found ") + found);
}

// Nothing unless it is a number of milliseconds that a duration can hold.
std::optional<Duration> Ms(const json& parent, const char* key) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_number()) return std::nullopt;
  const double ms = found->get<double>();
  constexpr double kLongest = 1e12;  // three decades
  if (!(ms > -kLongest && ms < kLongest)) return std::nullopt;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double, std::milli>(ms));
}

}  // namespace

Result<ObservedTimes> ReadObservedTimes(std::string_view text) {
  json document = json::parse(text, nullptr, false);
  if (document.is_object() && document.contains("leases")) {
    json leases = std::move(document["leases"]);
    if (!leases.is_array() || leases.size() != 1) {
      return Unexpected("several; name one with --lease");
    }
    document = std::move(leases[0]);
  }
  if (!document.is_object()) return Unexpected("something else");
  const auto durations = document.find("durationsMs");
  const auto round_trips = document.find("roundTripMs");
  if (durations == document.end() || !durations->is_object() ||
      round_trips == document.end() || !round_trips->is_object()) {
    return Unexpected("no durations in it");
  }
  const auto lease = Ms(*durations, "lease");
  const auto deadline = Ms(*durations, "renewDeadline");
  const auto interval = Ms(*durations, "renewInterval");
  const auto round_trip = Ms(*round_trips, "p99");
  const auto margin = Ms(document, "marginMs");
  if (!lease || !deadline || !interval || !round_trip || !margin) {
    return Unexpected("durations missing in it");
  }
  ObservedTimes times;
  times.lease_duration = *lease;
  times.renew_deadline = *deadline;
  times.renew_interval = *interval;
  times.round_trip_p99 = std::max(*round_trip, Duration{0});
  // margin = D - interval - p99 pause - p99 round trip, cut to a millisecond.
  times.pause_p99 =
      std::max(*lease - *interval - *margin - *round_trip, Duration{0});
  return times;
}

}  // namespace tenure
