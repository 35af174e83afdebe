#include "sidecar/config/settings_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sidecar/config/config_file.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/host_facts.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/setting_table.h"
#include "sidecar/config/sidecar_plan.h"

namespace tenure {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

HostFacts Laptop() {
  HostFacts host;
  host.hostname = "laptop";
  host.boot_id = "boot";
  host.runtime_directory = "/run/user/1000";
  return host;
}

SidecarPlan PlanOf(const ParsedFlags& flags) {
  auto plan = MakePlan(LoadSettings(flags, {}), Laptop());
  EXPECT_TRUE(plan.has_value()) << plan.error().front();
  return plan.value_or(SidecarPlan{});
}

SidecarPlan PlanOf(const std::vector<std::string>& arguments) {
  return PlanOf(*ParseFlags(SettingFlags(), arguments));
}

// The same plan again from the configuration it printed.
SidecarPlan Reread(const SidecarPlan& plan) {
  Problems problems;
  const GivenValues given =
      ParseConfigFile("printed", EffectiveConfig(plan), &problems);
  EXPECT_THAT(problems, IsEmpty());
  ParsedFlags flags;
  for (const auto& [flag, value] : given) flags.given[flag] = value.texts;
  return PlanOf(flags);
}

TEST(EffectiveConfig, ReadsBackAsTheSameSidecar) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"--lease=a"},
           {"--embedded"},
           {"--lease=job", "--slots=3", "--preset=fast"},
           {"--lease=b,a", "--ride-out=30s", "--foreign-contenders"},
           {"--lease=a", "--status-socket=none", "--context", "my: \"x\\y\" #",
            "--drift-allowance=0.25%", "--no-watch", "--drain-timeout=0",
            "--min-generation=7", "--lease-duration=31s"}}) {
    const SidecarPlan plan = PlanOf(arguments);
    const SidecarPlan again = Reread(plan);
    for (const SettingSpec& spec : SettingTable()) {
      EXPECT_EQ(SettingTexts(spec, again.settings),
                SettingTexts(spec, plan.settings))
          << spec.flag;
    }
    EXPECT_EQ(again.leases, plan.leases);
    EXPECT_EQ(again.status_socket, plan.status_socket);
    EXPECT_EQ(again.authority.times.max_try_limit,
              plan.authority.times.max_try_limit);
  }
}

TEST(EffectiveConfig, SaysWhereEachValueCameFrom) {
  const std::string text = EffectiveConfig(PlanOf({"--lease=a"}));
  EXPECT_THAT(text, HasSubstr("lease:  # --lease\n  - a\n"));
  EXPECT_THAT(text, HasSubstr("leaseDuration: 15s  # preset default\n"));
  EXPECT_THAT(text, HasSubstr("# rideOut: not set\n"));
  EXPECT_THAT(text, HasSubstr("probePort: 7422  # default\n"));
}

TEST(GroupsHelp, NamesEverySettingWithin80Columns) {
  const std::string help = GroupsHelp(SettingGroups());
  for (const SettingSpec& spec : SettingTable()) {
    EXPECT_THAT(help, HasSubstr(spec.flag));
  }
  EXPECT_THAT(help, HasSubstr("-n, --namespace NAMESPACE\n"));
  EXPECT_THAT(help, HasSubstr("--[no-]watch\n"));
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

// TENURE_REWRITE=1 writes the page anew.
TEST(ConfigurationReference, IsThePageInDocs) {
  const std::string path =
      std::string(TENURE_SOURCE_DIR) + "/docs/configuration.md";
  if (std::getenv("TENURE_REWRITE") != nullptr) {
    std::ofstream(path) << ConfigurationReference();
  }
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), ConfigurationReference())
      << "run this test with TENURE_REWRITE=1";
}

}  // namespace
}  // namespace tenure
