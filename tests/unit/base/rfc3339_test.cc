#include "sidecar/base/rfc3339.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tenure {
namespace {

using std::chrono::microseconds;

WallTime At(std::int64_t micros) { return WallTime{microseconds{micros}}; }

// 2026-11-29T20:48:00Z
constexpr std::int64_t kSecond = 1795985280;

TEST(FormatMicroTime, PrintsSixFractionalDigitsAlways) {
  EXPECT_EQ(FormatMicroTime(At(kSecond * 1'000'000)),
            "2026-11-29T20:48:00.000000Z");
  EXPECT_EQ(FormatMicroTime(At(kSecond * 1'000'000 + 1)),
            "2026-11-29T20:48:00.000001Z");
  EXPECT_EQ(FormatMicroTime(At(kSecond * 1'000'000 + 999'999)),
            "2026-11-29T20:48:00.999999Z");
}

TEST(FormatMicroTime, TimesBeforeTheEpochHaveTheirOwnDayAndFraction) {
  EXPECT_EQ(FormatMicroTime(At(-1)), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatMicroTime(At(-1'000'000)), "1969-12-31T23:59:59.000000Z");
}

TEST(FormatMicroTime, KnowsLeapDays) {
  // 2000 and 2024 had one; 2100 will not.
  EXPECT_EQ(FormatMicroTime(At(951'782'400'000'000)),
            "2000-02-29T00:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime(At(1'709'164'800'000'000)),
            "2024-02-29T00:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime(At(4'107'542'400'000'000)),
            "2100-03-01T00:00:00.000000Z");
}

TEST(FormatMicroTime, ClampsYearsThatRfc3339CannotWrite) {
  EXPECT_EQ(FormatMicroTime(WallTime{microseconds::min()}),
            "0001-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime(WallTime{microseconds::max()}),
            "9999-12-31T23:59:59.999999Z");
}

TEST(FormatSecondsTime, CutsToTheSecond) {
  EXPECT_EQ(FormatSecondsTime(At(kSecond * 1'000'000 + 999'999)),
            "2026-11-29T20:48:00Z");
  EXPECT_EQ(FormatSecondsTime(At(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(FormatSecondsTime(WallTime{microseconds::max()}),
            "9999-12-31T23:59:59Z");
}

}  // namespace
}  // namespace tenure
