#include "sidecar/config/setting_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/settings.h"

namespace tenure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const SettingSpec& Spec(std::string_view flag) {
  for (const SettingSpec& spec : SettingTable()) {
    if (flag == spec.flag) return spec;
  }
  ADD_FAILURE() << "no setting " << flag;
  return SettingTable().front();
}

std::string Refusal(std::string_view flag,
                    const std::vector<std::string>& texts) {
  Settings settings;
  const Result<void> applied = ApplySetting(Spec(flag), texts, &settings);
  return applied ? "" : applied.error().message;
}

TEST(SettingTable, NamesFollowFromTheFlag) {
  EXPECT_EQ(EnvironmentVariable("control-socket-mode"),
            "TENURE_CONTROL_SOCKET_MODE");
  EXPECT_EQ(FileKey("control-socket-mode"), "controlSocketMode");
  EXPECT_EQ(FileKey("lease"), "lease");
}

TEST(SettingTable, NoTwoSettingsShareAName) {
  std::set<std::string> names;
  std::set<char> letters;
  for (const SettingSpec& spec : SettingTable()) {
    EXPECT_TRUE(names.insert(spec.flag).second) << spec.flag;
    if (spec.short_flag != 0) {
      EXPECT_TRUE(letters.insert(spec.short_flag).second) << spec.flag;
    }
  }
}

TEST(SettingTable, EveryDefaultReadsBackAsItself) {
  const Settings defaults;
  for (const SettingSpec& spec : SettingTable()) {
    const std::vector<std::string> texts = SettingTexts(spec, defaults);
    if (texts.empty()) continue;
    Settings read;
    const Result<void> applied = ApplySetting(spec, texts, &read);
    ASSERT_TRUE(applied.has_value())
        << spec.flag << ": " << applied.error().message;
    EXPECT_EQ(SettingTexts(spec, read), texts) << spec.flag;
  }
}

TEST(SettingTable, EveryKindOfValueIsRead) {
  Settings s;
  const auto apply = [&s](std::string_view flag, const char* text) {
    EXPECT_TRUE(ApplySetting(Spec(flag), {text}, &s).has_value()) << flag;
  };
  apply("lease", "b,a");
  apply("watch", "False");
  apply("status-port", "1");
  apply("drain-timeout", "0");
  apply("ride-out", "30s");
  apply("drift-allowance", "0.5%");
  apply("control-socket-mode", "600");
  EXPECT_THAT(s.lease, ElementsAre("b", "a"));
  EXPECT_FALSE(s.watch);
  EXPECT_EQ(s.status_port, 1);
  EXPECT_EQ(s.drain_timeout, Duration{0});
  EXPECT_EQ(s.ride_out, std::chrono::seconds(30));
  EXPECT_EQ(s.drift_allowance.ppm, 5000);
  EXPECT_EQ(s.control_socket_mode.bits, 0600U);
}

TEST(SettingTable, ARefusalSaysWhatWasExpectedAndFound) {
  EXPECT_EQ(Refusal("absent-lease", {"grab"}),
            "expected wait or take, found \"grab\"");
  EXPECT_EQ(Refusal("control-socket-mode", {"0999"}),
            "expected an octal file mode from 0 to 0777, such as 0660, found "
            "\"0999\"");
  EXPECT_EQ(Refusal("context", {""}), "expected a value, found \"\"");
  EXPECT_EQ(Refusal("context", {"a", "b"}),
            "expected one value, found \"2 values\"");
}

TEST(SettingTable, ASwitchIsTrueOrFalseAsYamlWritesIt) {
  for (const char* text : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    EXPECT_EQ(Refusal("watch", {text}), "") << text;
  }
  for (const char* text : {"yes", "no", "on", "off", "tRUE", "1", "", "y"}) {
    EXPECT_THAT(Refusal("watch", {text}), HasSubstr("expected true or false"))
        << text;
  }
}

TEST(SettingTable, NumbersStayInTheirRange) {
  for (const char* text : {"-1", "+1", "1.0", "0x1", " 1", "1 ", "65536", "",
                           "99999999999999999999"}) {
    EXPECT_THAT(Refusal("status-port", {text}), HasSubstr("from 0 to 65535"))
        << text;
  }
  EXPECT_EQ(Refusal("min-generation", {"9007199254740991"}), "");
  EXPECT_NE(Refusal("min-generation", {"9007199254740992"}), "");
  EXPECT_NE(Refusal("slots", {"65"}), "");
  for (const char* text : {"1", "20.1%", "-1%", "%", "nan%", "1%%", "1e1%"}) {
    EXPECT_THAT(Refusal("drift-allowance", {text}), HasSubstr("percentage"))
        << text;
  }
}

TEST(SettingTable, TextsAndListsHaveALimit) {
  EXPECT_EQ(Refusal("context", {std::string(kMaxSettingText, 'a')}), "");
  EXPECT_NE(Refusal("context", {std::string(kMaxSettingText + 1, 'a')}), "");
  std::vector<std::string> many(kMaxSettingList, "a");
  EXPECT_EQ(Refusal("lease", many), "");
  many.emplace_back("a");
  EXPECT_NE(Refusal("lease", many), "");
}

TEST(SettingTable, ControlCharactersAreRefusedAndNotEchoed) {
  EXPECT_EQ(Refusal("context", {"a\nb"}),
            "expected text without control characters, found \"a?b\"");
}

TEST(SettingTable, ARefusedValueChangesNothing) {
  Settings settings;
  settings.lease = {"a"};
  EXPECT_FALSE(ApplySetting(Spec("lease"), {"b\n"}, &settings).has_value());
  EXPECT_THAT(settings.lease, ElementsAre("a"));
}

}  // namespace
}  // namespace tenure
