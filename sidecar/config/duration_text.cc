#include "sidecar/config/duration_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

constexpr std::int64_t kNanosecond = 1;
constexpr std::int64_t kMicrosecond = 1000 * kNanosecond;
constexpr std::int64_t kMillisecond = 1000 * kMicrosecond;
constexpr std::int64_t kSecond = 1000 * kMillisecond;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kLongest = 366 * 24 * kHour;

struct Unit {
  const char* name;
  std::int64_t nanoseconds;
};

// Largest first, for printing.
constexpr std::array<Unit, 7> kUnits{{{"h", kHour},
                                      {"m", kMinute},
                                      {"s", kSecond},
                                      {"ms", kMillisecond},
                                      {"us", kMicrosecond},
                                      {"\u00b5s", kMicrosecond},
                                      {"ns", kNanosecond}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::unexpected<Error> Malformed(std::string_view text, const char* why) {
  std::string found(text.substr(0, 40));
  std::replace_if(
      found.begin(), found.end(), [](char c) { return c < ' ' || c > '~'; },
      '?');
  return Fail(ErrorCode::kInvalidArgument,
              "expected a duration such as 15s, 1m30s or 500ms, found \"" +
                  found + "\"" + why);
}

// Takes the leading number off `rest`, in billionths; false if there is none
// or it is beyond every duration allowed.
bool TakeNumber(std::string_view* rest, std::int64_t* whole,
                std::int64_t* billionths) {
  std::size_t at = 0;
  *whole = 0;
  while (at < rest->size() && IsDigit((*rest)[at])) {
    *whole = *whole * 10 + ((*rest)[at] - '0');
    if (*whole > kLongest) return false;
    ++at;
  }
  const std::size_t digits = at;
  *billionths = 0;
  if (at < rest->size() && (*rest)[at] == '.') {
    ++at;
    std::int64_t weight = kSecond / 10;
    const std::size_t first = at;
    while (at < rest->size() && IsDigit((*rest)[at])) {
      *billionths += weight * ((*rest)[at] - '0');
      weight /= 10;
      ++at;
    }
    if (at == first) return false;
  }
  rest->remove_prefix(at);
  return digits > 0;
}

// Takes the leading unit off `rest`; 0 if there is none.
std::int64_t TakeUnit(std::string_view* rest) {
  std::size_t length = 0;
  while (length < rest->size() && !IsDigit((*rest)[length])) ++length;
  const std::string_view name = rest->substr(0, length);
  for (const Unit& unit : kUnits) {
    if (name == unit.name) {
      rest->remove_prefix(length);
      return unit.nanoseconds;
    }
  }
  return 0;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  if (text == "0") return Duration{0};
  if (text.empty()) return Malformed(text, "");
  if (text.front() == '-' || text.front() == '+') {
    return Malformed(text, "; durations carry no sign");
  }
  std::string_view rest = text;
  std::int64_t total = 0;
  while (!rest.empty()) {
    std::int64_t whole = 0;
    std::int64_t billionths = 0;
    if (!TakeNumber(&rest, &whole, &billionths)) return Malformed(text, "");
    if (rest.empty()) return Malformed(text, "; add a unit, as in 15s");
    const std::int64_t unit = TakeUnit(&rest);
    if (unit == 0)
      return Malformed(text, "; the units are h, m, s, ms, us, ns");
    if (whole > kLongest / unit) return Malformed(text, ", above 8784h");
    // Hours x billionths stays within 64 bits: 3.6e12 x 1e9 does not, so the
    // fraction is scaled in two steps.
    const std::int64_t fraction = unit >= kSecond ? unit / kSecond * billionths
                                                  : unit * billionths / kSecond;
    total += whole * unit + fraction;
    if (total > kLongest) return Malformed(text, ", above 8784h");
  }
  return Duration(total);
}

std::string FormatDuration(Duration value) {
  std::int64_t rest = value.count();
  if (rest <= 0) return "0";
  std::string text;
  for (const Unit& unit : kUnits) {
    const std::int64_t count = rest / unit.nanoseconds;
    if (count == 0) continue;
    text += std::to_string(count) + unit.name;
    rest -= count * unit.nanoseconds;
  }
  return text;
}

}  // namespace tenure
