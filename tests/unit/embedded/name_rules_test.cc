#include "sidecar/embedded/name_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::embedded {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(NameRulesTest, LeaseNamesAreDnsSubdomains) {
  for (const char* name : {"a", "a-b", "a.b", "0", "a.b-c.d"}) {
    EXPECT_THAT(CheckSubdomain(name), IsEmpty()) << name;
  }
  for (const char* name : {"", "A", "a_b", "a/b", ".", "a..b", "-a", "a-", "a.",
                           ".a", "\xff", "a b"}) {
    EXPECT_THAT(CheckSubdomain(name), Not(IsEmpty())) << name;
  }
}

TEST(NameRulesTest, NamesEndAt253Characters) {
  EXPECT_THAT(CheckSubdomain(std::string(253, 'a')), IsEmpty());
  EXPECT_THAT(CheckSubdomain(std::string(254, 'a')),
              ElementsAre("must be no more than 253 characters"));
}

TEST(NameRulesTest, NamespacesAreSingleLabelsOf63) {
  EXPECT_THAT(CheckNamespaceName(std::string(63, 'a')), IsEmpty());
  EXPECT_THAT(CheckNamespaceName(std::string(64, 'a')), Not(IsEmpty()));
  EXPECT_THAT(CheckNamespaceName("a.b"), Not(IsEmpty()));
}

TEST(NameRulesTest, LabelKeysMayCarryAPrefix) {
  for (const char* key : {"a", "A_b.c", "tenure.dev/generation"}) {
    EXPECT_THAT(CheckLabelKey(key), IsEmpty()) << key;
  }
  EXPECT_THAT(CheckLabelKey("/a"),
              ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(CheckLabelKey("A_/a"), ElementsAre(HasSubstr("prefix part a")));
  EXPECT_THAT(CheckLabelKey("a/b/c"), ElementsAre(HasSubstr("label key")));
  EXPECT_THAT(CheckLabelKey("a/"), ElementsAre("name part must be non-empty",
                                               HasSubstr("name part must")));
  EXPECT_THAT(CheckLabelKey(std::string(64, 'a')),
              ElementsAre("name part must be no more than 63 bytes"));
}

TEST(NameRulesTest, LabelValuesMayBeEmpty) {
  EXPECT_THAT(CheckLabelValue(""), IsEmpty());
  EXPECT_THAT(CheckLabelValue("a b"), ElementsAre(HasSubstr("valid label")));
  EXPECT_THAT(CheckLabelValue(std::string(64, 'a')),
              ElementsAre("must be no more than 63 bytes"));
}

}  // namespace
}  // namespace tenure::embedded
