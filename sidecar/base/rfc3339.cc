#include "sidecar/base/rfc3339.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tenure {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr microseconds kFirst = sys_days{year{1} / 1 / 1}.time_since_epoch();
constexpr microseconds kLast =
    sys_days{year{10000} / 1 / 1}.time_since_epoch() - microseconds{1};

// To the second, without a zone; the microseconds within it.
std::string ToTheSecond(WallTime time, int* microsecond) {
  const microseconds clamped = std::clamp(time.since_epoch, kFirst, kLast);
  const days whole = std::chrono::floor<days>(clamped);
  const year_month_day date{sys_days{whole}};
  const std::chrono::hh_mm_ss clock{clamped - whole};
  *microsecond = static_cast<int>(clock.subseconds().count());
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace

std::string FormatMicroTime(WallTime time) {
  int microsecond = 0;
  const std::string second = ToTheSecond(time, &microsecond);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%06dZ", microsecond);
  return second + fraction;
}

std::string FormatSecondsTime(WallTime time) {
  int microsecond = 0;
  return ToTheSecond(time, &microsecond) + "Z";
}

}  // namespace tenure
