#include "sidecar/kube/micro_time.h"

#include <cstddef>
#include <optional>

#include "sidecar/kube/bounded_json.h"

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

// Takes fixed-width pieces off the front of a text. After the first piece that
// is not there, everything fails.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  // Exactly `width` digits, in [low, high].
  int Number(std::size_t width, int low, int high) {
    if (rest_.size() < width) ok_ = false;
    int value = 0;
    for (std::size_t i = 0; ok_ && i < width; ++i) {
      if (!IsDigit(rest_[i])) ok_ = false;
      value = value * 10 + (rest_[i] - '0');
    }
    if (!ok_ || value < low || value > high) {
      ok_ = false;
      return low;
    }
    rest_.remove_prefix(width);
    return value;
  }

  void Expect(char wanted) {
    if (!Take(wanted)) ok_ = false;
  }

  bool Take(char wanted) {
    if (!ok_ || rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // One to nine digits after the point; what is finer than a microsecond is
  // cut off.
  microseconds Fraction() {
    std::int64_t value = 0;
    int digits = 0;
    while (ok_ && !rest_.empty() && IsDigit(rest_.front())) {
      if (++digits <= 6) value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (digits < 1 || digits > 9) ok_ = false;
    for (; digits < 6; ++digits) value *= 10;
    return microseconds{value};
  }

  bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  std::string_view rest_;
  bool ok_ = true;
};

minutes Offset(Cursor& cursor) {
  if (cursor.Take('Z')) return minutes{0};
  const bool west = cursor.Take('-');
  if (!west) cursor.Expect('+');
  const int hour = cursor.Number(2, 0, 23);
  cursor.Expect(':');
  const minutes offset{hour * 60 + cursor.Number(2, 0, 59)};
  return west ? -offset : offset;
}

std::optional<WallTime> Parse(std::string_view text) {
  Cursor cursor(text);
  const int y = cursor.Number(4, 1, 9999);
  cursor.Expect('-');
  const int m = cursor.Number(2, 1, 12);
  cursor.Expect('-');
  const int d = cursor.Number(2, 1, 31);
  cursor.Expect('T');
  const int hour = cursor.Number(2, 0, 23);
  cursor.Expect(':');
  const int minute = cursor.Number(2, 0, 59);
  cursor.Expect(':');
  const int second = cursor.Number(2, 0, 59);
  microseconds fraction{0};
  if (cursor.Take('.')) fraction = cursor.Fraction();
  const minutes offset = Offset(cursor);
  const year_month_day date = year{y} /
                              std::chrono::month{static_cast<unsigned>(m)} /
                              std::chrono::day{static_cast<unsigned>(d)};
  if (!cursor.AtEnd() || !date.ok()) return std::nullopt;
  return WallTime{sys_days{date}.time_since_epoch() + hours{hour} +
                  minutes{minute} + seconds{second} + fraction - offset};
}

}  // namespace

Result<WallTime> ParseMicroTime(std::string_view text) {
  const std::optional<WallTime> time = Parse(text);
  if (time.has_value()) return *time;
  return Fail(ErrorCode::kInvalidArgument,
              "expected an RFC 3339 time like 2026-11-29T20:48:00.123456Z, "
              "found \"" +
                  OneLine(text, 64) + "\"");
}

}  // namespace tenure
