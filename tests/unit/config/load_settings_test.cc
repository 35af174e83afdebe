#include "sidecar/config/load_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <expected>
#include <fstream>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/given_value.h"

namespace tenure {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LoadSettingsTest : public testing::Test {
 protected:
  ~LoadSettingsTest() override { std::remove(path_.c_str()); }

  void WriteFile(const std::string& keys) {
    std::ofstream(path_) << "apiVersion: tenure.dev/v1alpha1\n"
                            "kind: SidecarConfig\n"
                         << keys;
    environment_["TENURE_CONFIG"] = path_;
  }

  std::expected<LoadedSettings, Problems> Load(
      const std::vector<std::string>& arguments) {
    Result<ParsedFlags> flags = ParseFlags(SettingFlags(), arguments);
    EXPECT_TRUE(flags.has_value());
    LoadedSettings loaded = LoadSettings(*flags, environment_);
    if (!loaded.problems.empty()) return std::unexpected(loaded.problems);
    return loaded;
  }

  LoadedSettings Loaded(const std::vector<std::string>& arguments) {
    auto loaded = Load(arguments);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().front();
    return loaded.value_or(LoadedSettings{});
  }

  const std::string path_ =
      testing::TempDir() + "/load_settings_test." +
      testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
  Environment environment_;
};

TEST_F(LoadSettingsTest, AFlagWinsOverTheEnvironmentOverTheFile) {
  WriteFile("leaseDuration: 20s\nrenewDeadline: 14s\nrenewInterval: 3s\n");
  environment_["TENURE_LEASE_DURATION"] = "30s";
  environment_["TENURE_RENEW_DEADLINE"] = "13s";
  const LoadedSettings loaded = Loaded({"--lease-duration", "40s"});
  EXPECT_EQ(loaded.settings.lease_duration, seconds(40));
  EXPECT_EQ(loaded.settings.renew_deadline, seconds(13));
  EXPECT_EQ(loaded.settings.renew_interval, seconds(3));
  EXPECT_EQ(loaded.origins.at("lease-duration"), "--lease-duration");
  EXPECT_EQ(loaded.origins.at("renew-deadline"), "TENURE_RENEW_DEADLINE");
  EXPECT_EQ(loaded.origins.at("renew-interval"), path_ + ":5:16 renewInterval");
  EXPECT_FALSE(loaded.origins.contains("preset"));
}

TEST_F(LoadSettingsTest, TheFileWinsOverWhatThePlatformSets) {
  environment_["POD_NAMESPACE"] = "from-pod";
  environment_["POD_NAME"] = "pod-1";
  EXPECT_EQ(Loaded({}).settings.name_space, "from-pod");
  WriteFile("namespace: from-file\n");
  const LoadedSettings loaded = Loaded({});
  EXPECT_EQ(loaded.settings.name_space, "from-file");
  EXPECT_EQ(loaded.settings.pod_name, "pod-1");
  EXPECT_EQ(loaded.origins.at("pod-name"), "POD_NAME");
}

TEST_F(LoadSettingsTest, TheConfigFlagWinsOverItsVariable) {
  WriteFile("lease: a\n");
  environment_["TENURE_CONFIG"] = "/nonexistent";
  EXPECT_THAT(Loaded({"--config", path_}).settings.lease, ElementsAre("a"));
}

TEST_F(LoadSettingsTest, AListIsRepeatedOrSeparatedByCommas) {
  EXPECT_THAT(Loaded({"--lease", "b", "--lease=a,c"}).settings.lease,
              ElementsAre("b", "a", "c"));
  environment_["TENURE_LEASE"] = "x,y";
  EXPECT_THAT(Loaded({}).settings.lease, ElementsAre("x", "y"));
}

TEST_F(LoadSettingsTest, TheLastOfARepeatedFlagWins) {
  EXPECT_EQ(Loaded({"--preset=fast", "--preset=patient"}).settings.preset,
            "patient");
}

TEST_F(LoadSettingsTest, AnEmptyVariableIsNotSet) {
  environment_["TENURE_PRESET"] = "";
  environment_["POD_NAME"] = "";
  EXPECT_THAT(Loaded({}).origins, IsEmpty());
}

TEST_F(LoadSettingsTest, AServiceLinkIsNoPort) {
  environment_["TENURE_STATUS_PORT"] = "tcp://10.0.0.7:7421";
  EXPECT_EQ(Loaded({}).settings.status_port, 7421);
}

TEST_F(LoadSettingsTest, EveryNameOfEveryPlaceIsChecked) {
  WriteFile("lease: [Billing, a..b, \"\", fine]\n");
  environment_["TENURE_LEASE"] = "UP";
  const auto loaded = Load({"--lease", "a,,b"});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(
      loaded.error(),
      ElementsAre(HasSubstr(":3:8 lease: expected a name Kubernetes allows for "
                            "a Lease, found \"Billing\""),
                  HasSubstr("found \"a..b\""), HasSubstr("it is empty"),
                  HasSubstr("TENURE_LEASE: "),
                  AllOf(HasSubstr("--lease: "), HasSubstr("it is empty"))));
}

TEST_F(LoadSettingsTest, AllErrorsOfAllSourcesComeAtOnce) {
  WriteFile("leaseDuration: 15\nwatch: maybe\nbogus: 1\n");
  environment_["TENURE_STATUS_PORT"] = "70000";
  const auto loaded = Load({"--drift-allowance=1", "--log-level", "loud"});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(
      loaded.error(),
      ElementsAre(path_ + ":5:1 bogus: unknown key",
                  path_ +
                      ":3:16 leaseDuration: expected a duration such as 15s, "
                      "1m30s or 500ms, found \"15\"; add a unit, as in 15s",
                  path_ + ":4:8 watch: expected true or false, found "
                          "\"maybe\"",
                  "TENURE_STATUS_PORT: expected a whole number from 0 to "
                  "65535, found \"70000\"",
                  "--drift-allowance: expected a percentage from 0% to 20%, "
                  "such as 1%, found \"1\"",
                  "--log-level: expected debug, info, warn or error, found "
                  "\"loud\""));
}

TEST_F(LoadSettingsTest, AnOverriddenValueIsCheckedToo) {
  environment_["TENURE_PRESET"] = "quick";
  EXPECT_FALSE(Load({"--preset", "fast"}).has_value());
}

TEST_F(LoadSettingsTest, AMisspeltVariableIsNoted) {
  environment_["TENURE_LEASE_DURATON"] = "15s";
  environment_["TENURE_SERVICE_HOST"] = "10.0.0.1";
  environment_["TENURE_PORT_80_TCP"] = "tcp://10.0.0.1:80";
  environment_["TENURE_SOCKET"] = "/x";
  environment_["TENURE_GENERATION_A"] = "7";
  environment_["TENURE_LEASE"] = "a";
  EXPECT_THAT(Loaded({}).notes,
              ElementsAre("TENURE_LEASE_DURATON is not a setting; did you mean "
                          "TENURE_LEASE_DURATION?"));
}

TEST_F(LoadSettingsTest, EverySettingHasAFlagAVariableAndAKey) {
  const std::vector<FlagSpec> flags = SettingFlags();
  EXPECT_GT(flags.size(), 35U);
  for (const FlagSpec& flag : flags) {
    EXPECT_THAT(flag.help, Not(IsEmpty())) << flag.name;
  }
}

}  // namespace
}  // namespace tenure
