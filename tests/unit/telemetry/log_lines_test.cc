#include "sidecar/telemetry/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// 2026-11-29T20:48:00.000042Z
constexpr WallTime kWhen{std::chrono::microseconds(1'795'985'280'000'042)};

class LogLinesTest : public testing::Test {
 protected:
  LogLines New(LogFormat format, LogLevel level = LogLevel::kInfo,
               bool color = false) {
    return LogLines(format, level, color, [this](std::string_view line) {
      lines_.emplace_back(line);
    });
  }

  std::vector<std::string> lines_;
};

TEST_F(LogLinesTest, JsonHasTimeLevelMessageAndKeys) {
  New(LogFormat::kJson)
      .Log(LogLevel::kWarn, kWhen, "Lost lease",
           {{"lease", "a"}, {"generation", "7"}, {"remainingMs", "42"}});
  EXPECT_THAT(
      lines_,
      ElementsAre(R"({"ts":"2026-11-29T20:48:00.000042Z","level":"warn",)"
                  R"("msg":"Lost lease","lease":"a","generation":"7",)"
                  R"("remainingMs":42})"
                  "\n"));
}

TEST_F(LogLinesTest, TextIsForPeople) {
  New(LogFormat::kText)
      .Log(LogLevel::kInfo, kWhen, "Acquired lease",
           {{"lease", "a"}, {"err", "two words"}, {"reason", ""}});
  EXPECT_THAT(lines_,
              ElementsAre("2026-11-29T20:48:00.000042Z info Acquired lease "
                          "lease=a err=\"two words\"\n"));
}

TEST_F(LogLinesTest, ColorIsOnlyWhereAskedFor) {
  LogLines plain = New(LogFormat::kText);
  plain.Log(LogLevel::kError, kWhen, "Failed", {});
  LogLines colored = New(LogFormat::kText, LogLevel::kInfo, true);
  colored.Log(LogLevel::kError, kWhen, "Failed", {});
  EXPECT_THAT(lines_[0], Not(HasSubstr("\x1b")));
  EXPECT_THAT(lines_[1], HasSubstr("\x1b[31mFailed\x1b[0m"));
}

TEST_F(LogLinesTest, WhatIsBelowTheLevelIsNotWritten) {
  LogLines lines = New(LogFormat::kJson, LogLevel::kWarn);
  lines.Log(LogLevel::kInfo, kWhen, "Not this", {});
  EXPECT_FALSE(lines.Enabled(LogLevel::kInfo));
  EXPECT_THAT(lines_, IsEmpty());
  lines.Log(LogLevel::kWarn, kWhen, "This", {});
  EXPECT_THAT(lines_, SizeIs(1));
}

TEST_F(LogLinesTest, NoValueBreaksALine) {
  const std::string hostile =
      std::string("a\n\"}\\\x1b[2J\0{}%v", 15) + "\xff\xc3 \xf0\x9f\x98\x80";
  New(LogFormat::kJson)
      .Log(LogLevel::kInfo, kWhen, "Observed holder",
           {{"holderIdentity", hostile}, {"remainingMs", "1}"}});
  New(LogFormat::kText)
      .Log(LogLevel::kInfo, kWhen, "Observed holder",
           {{"holderIdentity", hostile}});
  ASSERT_THAT(lines_, SizeIs(2));
  for (const std::string& line : lines_) {
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
  const auto json = nlohmann::json::parse(lines_[0]);
  EXPECT_THAT(json.at("holderIdentity").get<std::string>(),
              testing::StartsWith(hostile.substr(0, 15)));
  EXPECT_EQ(json.at("remainingMs"), "1}");
}

TEST_F(LogLinesTest, ALongValueIsCut) {
  const std::string value(1 << 20, 'x');
  New(LogFormat::kJson).Log(LogLevel::kInfo, kWhen, "Read", {{"err", value}});
  New(LogFormat::kText).Log(LogLevel::kInfo, kWhen, "Read", {{"err", value}});
  EXPECT_LT(lines_[0].size(), kMaxLogValue + 200);
  EXPECT_LT(lines_[1].size(), kMaxLogValue + 200);
}

}  // namespace
}  // namespace tenure
