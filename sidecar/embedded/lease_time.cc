#include "sidecar/embedded/lease_time.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_status.h"

namespace tenure::embedded {
namespace {

using std::chrono::microseconds;
using std::chrono::sys_days;

// Reads one layout piece after another and words its errors as Go's time.Parse
// does, because clients show them to people.
class TimeScanner {
 public:
  TimeScanner(std::string_view text, std::string_view layout)
      : text_(text), rest_(text), layout_(layout) {}

  // `least` to `most` digits, whose place in the layout is called `piece`.
  bool Number(std::string_view piece, std::size_t least, std::size_t most,
              int& out) {
    std::size_t count = 0;
    int value = 0;
    while (count < most && count < rest_.size() && IsDigit(rest_[count])) {
      value = value * 10 + (rest_[count] - '0');
      ++count;
    }
    if (count < least) return Mismatch(piece);
    rest_.remove_prefix(count);
    out = value;
    return true;
  }

  bool Literal(char expected) {
    if (rest_.empty() || rest_.front() != expected) {
      return Mismatch(std::string_view(&expected, 1));
    }
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly six digits after '.' or ',', as MicroTime's layout wants.
  bool Micros(int& out) {
    if (rest_.size() < 7 || (rest_[0] != '.' && rest_[0] != ',') ||
        !std::all_of(rest_.begin() + 1, rest_.begin() + 7, IsDigit)) {
      return Mismatch(".000000");
    }
    rest_.remove_prefix(1);
    return Number(".000000", 6, 6, out);
  }

  // Any number of digits: a layout without a fraction accepts one.
  void OptionalFraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') ||
        !IsDigit(rest_[1])) {
      return;
    }
    rest_.remove_prefix(1);
    while (!rest_.empty() && IsDigit(rest_.front())) rest_.remove_prefix(1);
  }

  bool Offset(std::chrono::minutes& out) {
    if (!rest_.empty() && rest_.front() == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    if (rest_.size() < 6 || (rest_[0] != '+' && rest_[0] != '-') ||
        rest_[3] != ':' || !IsDigit(rest_[1]) || !IsDigit(rest_[2]) ||
        !IsDigit(rest_[4]) || !IsDigit(rest_[5])) {
      return Mismatch("Z07:00");
    }
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return OutOfRange("time zone offset hour");
    if (minutes > 60) return OutOfRange("time zone offset minute");
    out = std::chrono::minutes(hours * 60 + minutes);
    if (rest_[0] == '-') out = -out;
    rest_.remove_prefix(6);
    return true;
  }

  bool Range(const char* what, int value, int least, int most) {
    return (value >= least && value <= most) || OutOfRange(what);
  }

  bool End() {
    if (rest_.empty()) return true;
    error_ = Prefix() + ": extra text: " + Quote(rest_);
    return false;
  }

  bool OutOfRange(const char* what) {
    error_ = Prefix() + ": " + what + " out of range";
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  std::string Prefix() const { return "parsing time " + Quote(text_); }

  bool Mismatch(std::string_view piece) {
    error_ = Prefix() + " as " + Quote(layout_) + ": cannot parse " +
             Quote(rest_) + " as " + Quote(piece);
    return false;
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view layout_;
  std::string error_;
};

std::expected<WallTime, std::string> ParseTime(std::string_view text,
                                               bool micro) {
  TimeScanner scan(text, micro ? "2006-01-02T15:04:05.000000Z07:00"
                               : "2006-01-02T15:04:05Z07:00");
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0,
      micros = 0;
  std::chrono::minutes offset{0};
  bool ok =
      scan.Number("2006", 4, 4, year) && scan.Literal('-') &&
      scan.Number("01", 2, 2, month) && scan.Range("month", month, 1, 12) &&
      scan.Literal('-') && scan.Number("02", 2, 2, day) && scan.Literal('T') &&
      scan.Number("15", 1, 2, hour) && scan.Range("hour", hour, 0, 23) &&
      scan.Literal(':') && scan.Number("04", 2, 2, minute) &&
      scan.Range("minute", minute, 0, 59) && scan.Literal(':') &&
      scan.Number("05", 2, 2, second) && scan.Range("second", second, 0, 59);
  if (ok && micro) ok = scan.Micros(micros);
  if (ok && !micro) scan.OptionalFraction();
  ok = ok && scan.Offset(offset) && scan.End();
  const std::chrono::year_month_day date{
      std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day))};
  if (ok && !date.ok()) ok = scan.OutOfRange("day");
  if (!ok) return std::unexpected(scan.error());
  const auto since_epoch =
      sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
      std::chrono::minutes(minute) + std::chrono::seconds(second) - offset;
  return WallTime{std::chrono::duration_cast<microseconds>(since_epoch) +
                  microseconds(micros)};
}

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr Unit kUnits[] = {{"ns", 1},   {"us", 1e3},  {"µs", 1e3},
                           {"μs", 1e3}, {"ms", 1e6},  {"s", 1e9},
                           {"m", 60e9}, {"h", 3600e9}};

}  // namespace

std::expected<WallTime, std::string> ParseMicroTime(std::string_view text) {
  return ParseTime(text, true);
}

std::expected<WallTime, std::string> ParseSecondsTime(std::string_view text) {
  return ParseTime(text, false);
}

std::expected<Duration, std::string> ParseGoDuration(std::string_view text) {
  const auto invalid = [text] {
    return std::unexpected("time: invalid duration " + Quote(text));
  };
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") return Duration{0};
  if (rest.empty()) return invalid();
  double total = 0;
  while (!rest.empty()) {
    double value = 0, scale = 1;
    bool digits = false, fraction = false;
    while (!rest.empty() &&
           (std::isdigit(static_cast<unsigned char>(rest.front())) != 0 ||
            (rest.front() == '.' && !fraction))) {
      if (rest.front() == '.') {
        fraction = true;
      } else {
        digits = true;
        value = value * 10 + (rest.front() - '0');
        if (fraction) scale *= 10;
      }
      rest.remove_prefix(1);
    }
    if (!digits) return invalid();
    const std::size_t end = rest.find_first_of(".0123456789");
    const std::string_view unit = rest.substr(0, end);
    if (unit.empty()) {
      return std::unexpected("time: missing unit in duration " + Quote(text));
    }
    const auto* known = std::ranges::find(kUnits, unit, &Unit::name);
    if (known == std::end(kUnits)) {
      return std::unexpected("time: unknown unit " + Quote(unit) +
                             " in duration " + Quote(text));
    }
    total += value / scale * known->nanoseconds;
    rest.remove_prefix(unit.size());
  }
  // Go's int64 nanoseconds: anything longer is refused as it is there.
  if (total > 9.2e18) return invalid();
  const Duration duration{static_cast<std::int64_t>(total)};
  return negative ? -duration : duration;
}

std::string FormatAge(Duration age) {
  const std::int64_t s = std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::seconds>(age).count());
  const std::int64_t m = s / 60, h = m / 60, d = h / 24;
  const auto two = [](std::int64_t big, const char* unit, std::int64_t small,
                      const char* small_unit) {
    std::string out = std::to_string(big) + unit;
    if (small > 0) out += std::to_string(small) + small_unit;
    return out;
  };
  if (s < 120) return std::to_string(s) + "s";
  if (m < 10) return two(m, "m", s % 60, "s");
  if (h < 3) return std::to_string(m) + "m";
  if (h < 8) return two(h, "h", m % 60, "m");
  if (h < 48) return std::to_string(h) + "h";
  if (d < 8) return two(d, "d", h % 24, "h");
  if (d < 730) return std::to_string(d) + "d";
  if (d < 8 * 365) return two(d / 365, "y", d % 365, "d");
  return std::to_string(d / 365) + "y";
}

}  // namespace tenure::embedded
