#include "sidecar/kube/micro_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "sidecar/base/rfc3339.h"

namespace tenure {
namespace {

using std::chrono::microseconds;

WallTime At(std::int64_t micros) { return WallTime{microseconds{micros}}; }

// 2026-11-29T20:48:00Z
constexpr std::int64_t kSecond = 1795985280;

TEST(MicroTimeTest, ReadsBackWhatItPrinted) {
  for (const std::int64_t micros :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{951'782'400'000'000},
        kSecond * 1'000'000 + 123'456}) {
    const auto parsed = ParseMicroTime(FormatMicroTime(At(micros)));
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(*parsed, At(micros));
  }
}

TEST(MicroTimeTest, ReadsZeroToNineFractionalDigits) {
  EXPECT_EQ(ParseMicroTime("2026-11-29T20:48:00Z"), At(kSecond * 1'000'000));
  EXPECT_EQ(ParseMicroTime("2026-11-29T20:48:00.5Z"),
            At(kSecond * 1'000'000 + 500'000));
  EXPECT_EQ(ParseMicroTime("2026-11-29T20:48:00.123456789Z"),
            At(kSecond * 1'000'000 + 123'456));
}

TEST(MicroTimeTest, ReadsOffsets) {
  EXPECT_EQ(ParseMicroTime("2026-11-29T21:48:00+01:00"),
            At(kSecond * 1'000'000));
  EXPECT_EQ(ParseMicroTime("2026-11-29T15:18:00-05:30"),
            At(kSecond * 1'000'000));
}

TEST(MicroTimeTest, RefusesWhatIsNotATime) {
  for (const char* const text :
       {"", "now", "2026-11-29", "2026-11-29T20:48:00", "2026-11-29T20:48:00.Z",
        "2026-11-29T20:48:00.1234567890Z", "2026-11-29 20:48:00Z",
        "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-29T24:00:00Z",
        "2026-11-29T20:48:60Z", "2026-11-29T20:48:00Zx", "2026-11-29T20:48:00z",
        "0000-01-01T00:00:00Z", "+026-11-29T20:48:00Z",
        "2026-11-29T20:48:00+24:00", "2026-11-29T20:48:00+0100"}) {
    EXPECT_FALSE(ParseMicroTime(text).has_value()) << text;
  }
}

TEST(MicroTimeTest, SaysWhatWasExpectedAndFound) {
  const auto parsed = ParseMicroTime("tomorrow");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(parsed.error().message, testing::HasSubstr("\"tomorrow\""));
}

TEST(MicroTimeTest, AnErrorIsOneLineWhateverWasFound) {
  const auto parsed = ParseMicroTime("to\nmorrow");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().message, testing::Not(testing::HasSubstr("\n")));
}

}  // namespace
}  // namespace tenure
