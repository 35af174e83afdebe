#include "sidecar/config/lease_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

using testing::HasSubstr;

std::string Refusal(std::string_view name) {
  const Result<void> checked = CheckLeaseName(name);
  return checked ? "" : checked.error().message;
}

TEST(LeaseName, KubernetesNamesPass) {
  for (const char* name :
       {"a", "billing", "billing-0", "a.b-c.d", "0", "1.2"}) {
    EXPECT_EQ(Refusal(name), "") << name;
  }
  EXPECT_EQ(Refusal(std::string(253, 'a')), "");
}

TEST(LeaseName, ARefusalNamesTheRuleAndAName) {
  EXPECT_EQ(Refusal("Billing"),
            "expected a name Kubernetes allows for a Lease, found \"Billing\": "
            "it has upper-case letters; use \"billing\"");
  EXPECT_THAT(Refusal("billing:daily_run"),
              HasSubstr("use \"billing-daily-run\""));
  EXPECT_THAT(Refusal("-a"), HasSubstr("begin and end"));
  EXPECT_THAT(Refusal("-a"), HasSubstr("use \"a\""));
  EXPECT_THAT(Refusal("a..b"), HasSubstr("use \"a.b\""));
  EXPECT_THAT(Refusal("a-.b"), HasSubstr("use \"a.b\""));
  EXPECT_THAT(Refusal(""), HasSubstr("it is empty"));
}

TEST(LeaseName, ALongNameIsCut) {
  const std::string message = Refusal(std::string(252, 'a') + "-bcd");
  EXPECT_THAT(message, HasSubstr("longer than 253 characters"));
  EXPECT_THAT(message, HasSubstr("use \"" + std::string(252, 'a') + "\""));
}

TEST(LeaseName, EverySuggestionIsItselfAllowed) {
  for (const std::string& name :
       {std::string("A B/C"), std::string("__x__"), std::string("..a..-.b"),
        std::string("a-.-b"), std::string(300, 'Z'),
        std::string("\xc3\xa4rger"),
        std::string("a") + std::string(252, '.') + "b"}) {
    const std::string suggestion = SuggestName(name, 253, true);
    EXPECT_TRUE(CheckLeaseName(suggestion).has_value())
        << name << " -> " << suggestion;
  }
  EXPECT_EQ(SuggestName("___", 253, true), "");
}

TEST(LeaseName, ControlBytesAreNotEchoed) {
  EXPECT_THAT(Refusal("a\x1b[31m\nb"), HasSubstr("\"a?[31m?b\""));
}

TEST(Namespace, IsALabelOfAtMost63) {
  EXPECT_TRUE(CheckNamespace("kube-system").has_value());
  EXPECT_TRUE(CheckNamespace(std::string(63, 'a')).has_value());
  EXPECT_FALSE(CheckNamespace(std::string(64, 'a')).has_value());
  const Result<void> dotted = CheckNamespace("a.b");
  ASSERT_FALSE(dotted.has_value());
  EXPECT_THAT(dotted.error().message, HasSubstr("use \"a-b\""));
}

}  // namespace
}  // namespace tenure
