#include "sidecar/cli/terminal.h"

#include <gtest/gtest.h>

#include <utility>

#include "sidecar/config/settings.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
namespace {

TEST(Terminal, TextIsForTerminalsUnlessChosen) {
  Settings settings;
  EXPECT_EQ(ChooseFormat(settings, true), LogFormat::kText);
  EXPECT_EQ(ChooseFormat(settings, false), LogFormat::kJson);
  settings.log_format = "text";
  EXPECT_EQ(ChooseFormat(settings, false), LogFormat::kText);
  settings.log_format = "json";
  EXPECT_EQ(ChooseFormat(settings, true), LogFormat::kJson);
}

TEST(Terminal, NoColorIsHonouredUnlessOverruled) {
  Settings settings;
  EXPECT_TRUE(ChooseColor(settings, {}, true));
  EXPECT_TRUE(ChooseColor(settings, {{"NO_COLOR", ""}}, true));
  EXPECT_FALSE(ChooseColor(settings, {{"NO_COLOR", "1"}}, true));
  EXPECT_FALSE(ChooseColor(settings, {{"TERM", "dumb"}}, true));
  EXPECT_FALSE(ChooseColor(settings, {}, false));
  settings.color = "always";
  EXPECT_TRUE(ChooseColor(settings, {{"NO_COLOR", "1"}}, false));
  settings.color = "never";
  EXPECT_FALSE(ChooseColor(settings, {}, true));
}

TEST(Terminal, EveryLevelHasItsName) {
  Settings settings;
  for (const auto& [name, level] :
       {std::pair{"debug", LogLevel::kDebug},
        std::pair{"info", LogLevel::kInfo}, std::pair{"warn", LogLevel::kWarn},
        std::pair{"error", LogLevel::kError}}) {
    settings.log_level = name;
    EXPECT_EQ(ChooseLevel(settings), level);
  }
}

}  // namespace
}  // namespace tenure
