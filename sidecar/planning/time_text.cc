#include "sidecar/planning/time_text.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kInWords = 120;  // seconds; from here on

// "15.5", "0.25": seconds with no more digits than milliseconds need.
std::string Seconds(std::int64_t ms) {
  char digits[48];
  std::snprintf(digits, sizeof digits, "%lld.%03lld",
                static_cast<long long>(ms / 1000),
                static_cast<long long>(ms % 1000));
  std::string text = digits;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string InWords(std::int64_t seconds) {
  const std::int64_t hours = seconds / 3600;
  const std::int64_t minutes = seconds / 60 % 60;
  const std::int64_t rest = seconds % 60;
  std::string text;
  if (hours > 0) text += std::to_string(hours) + " h ";
  if (minutes > 0) text += std::to_string(minutes) + " min ";
  if (rest > 0) text += std::to_string(rest) + " s ";
  text.pop_back();
  return text;
}

}  // namespace

std::string TimeText(Duration value) {
  if (value < Duration{0}) return "-" + TimeText(-value);
  const std::int64_t ms = std::chrono::round<milliseconds>(value).count();
  if (ms >= kInWords * 1000) return InWords((ms + 500) / 1000);
  if (ms > 0 && ms < 1000) return std::to_string(ms) + " ms";
  return Seconds(ms) + " s";
}

std::string FlagText(Duration value) {
  return Seconds(std::chrono::round<milliseconds>(value).count()) + "s";
}

}  // namespace tenure
