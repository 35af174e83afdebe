#include "sidecar/config/unknown_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sidecar/config/setting_table.h"

namespace tenure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(UnknownVariables, AreNamedWithTheNearestNameWhereOneIsNear) {
  EXPECT_THAT(UnknownVariables({{"TENURE_LEASE_DURATON", "15s"},
                                {"TENURE_TIMEOUT_FOR_ALL_OF_IT", "1s"},
                                {"TENURE_CONTORL_SOCKET", "/x"},
                                {"TENURES", "x"},
                                {"OTHER", "x"}}),
              ElementsAre("TENURE_CONTORL_SOCKET is not a setting; did you "
                          "mean TENURE_CONTROL_SOCKET?",
                          "TENURE_LEASE_DURATON is not a setting; did you mean "
                          "TENURE_LEASE_DURATION?",
                          "TENURE_TIMEOUT_FOR_ALL_OF_IT is not a setting, and "
                          "was ignored"));
}

TEST(UnknownVariables, AreNoneThatMeanSomething) {
  Environment environment;
  for (const SettingSpec& spec : SettingTable()) {
    environment[EnvironmentVariable(spec.flag)] = "x";
  }
  for (const char* name :
       {"TENURE_CONFIG", "TENURE_SOCKET", "TENURE_CONTROL_SOCKET",
        "TENURE_ADDRESS", "TENURE_GENERATION", "TENURE_GENERATION_A_B",
        "TENURE_HOLDER", "TENURE_RUN_ID", "TENURE_LEASE"}) {
    environment[name] = "x";
  }
  EXPECT_THAT(UnknownVariables(environment), IsEmpty());
}

// CONTRIBUTING.md has developers set it, and the Makefile exports it.
TEST(UnknownVariables, AreNotThoseOfTheBuildNorAreTheySuggested) {
  EXPECT_THAT(UnknownVariables({{"TENURE_CACHE", "/var/cache/tenure"}}),
              IsEmpty());
  EXPECT_THAT(UnknownVariables({{"TENURE_CACHES", "/x"}}),
              ElementsAre("TENURE_CACHES is not a setting, and was ignored"));
}

TEST(UnknownVariables, AreNoneOfAServicesOwn) {
  Environment environment;
  for (const char* service : {"TENURE", "TENURE_STATUS", "TENURE_A_B"}) {
    for (const char* end :
         {"_SERVICE_HOST", "_SERVICE_PORT", "_SERVICE_PORT_HTTP", "_PORT",
          "_PORT_80_TCP", "_PORT_80_TCP_PROTO", "_PORT_80_TCP_PORT",
          "_PORT_80_TCP_ADDR", "_PORT_53_UDP"}) {
      environment[std::string(service) + end] = "10.0.0.1";
    }
  }
  EXPECT_THAT(UnknownVariables(environment), IsEmpty());
}

TEST(UnknownVariables, KeepTheirValuesToThemselvesAndAreNotThereIfEmpty) {
  EXPECT_THAT(UnknownVariables({{"TENURE_TOKEN", "secret"}}),
              ElementsAre(Not(HasSubstr("secret"))));
  EXPECT_THAT(UnknownVariables({{"TENURE_TOKEN", ""}}), IsEmpty());
}

}  // namespace
}  // namespace tenure
