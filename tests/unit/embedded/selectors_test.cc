#include "sidecar/embedded/selectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::embedded {
namespace {

using ::testing::HasSubstr;

LeaseMetadata Lease() {
  LeaseMetadata metadata;
  metadata.name = "a";
  metadata.name_space = "n";
  metadata.labels = {{"k", "1"}, {"tenure.dev/guarded", "true"}};
  return metadata;
}

bool FieldsMatch(const std::string& fields) {
  const auto selectors = Selectors::Parse(fields, "");
  EXPECT_TRUE(selectors) << selectors.error();
  return selectors && selectors->Matches(Lease());
}

bool LabelsMatch(const std::string& labels) {
  const auto selectors = Selectors::Parse("", labels);
  EXPECT_TRUE(selectors) << labels << ": " << selectors.error();
  return selectors && selectors->Matches(Lease());
}

TEST(SelectorsTest, NoSelectorSelectsAll) {
  const auto selectors = Selectors::Parse("", " ");
  ASSERT_TRUE(selectors);
  EXPECT_TRUE(selectors->SelectsAll());
  EXPECT_TRUE(selectors->Matches(Lease()));
}

TEST(SelectorsTest, FieldsAreNameAndNamespace) {
  EXPECT_TRUE(FieldsMatch("metadata.name=a"));
  EXPECT_TRUE(FieldsMatch("metadata.name==a,metadata.namespace=n"));
  EXPECT_FALSE(FieldsMatch("metadata.name=b"));
  EXPECT_TRUE(FieldsMatch("metadata.name!=b"));
  EXPECT_FALSE(FieldsMatch("metadata.name!=a"));
  EXPECT_FALSE(FieldsMatch("metadata.name=a,metadata.namespace=m"));
}

TEST(SelectorsTest, OtherFieldsAreRefused) {
  EXPECT_THAT(Selectors::Parse("spec.holderIdentity=x", "").error(),
              HasSubstr("is not a known field selector"));
  EXPECT_THAT(Selectors::Parse("bogus", "").error(),
              HasSubstr("can't understand 'bogus'"));
  EXPECT_FALSE(Selectors::Parse("=", ""));
}

TEST(SelectorsTest, LabelsKnowEqualitySetsAndExistence) {
  EXPECT_TRUE(LabelsMatch("k=1"));
  EXPECT_TRUE(LabelsMatch("k==1,tenure.dev/guarded=true"));
  EXPECT_FALSE(LabelsMatch("k=2"));
  EXPECT_TRUE(LabelsMatch("k!=2,x!=1"));
  EXPECT_TRUE(LabelsMatch("k in (1, 2)"));
  EXPECT_FALSE(LabelsMatch("k notin (1,2)"));
  EXPECT_TRUE(LabelsMatch("x notin (1)"));
  EXPECT_TRUE(LabelsMatch(" k , !x "));
  EXPECT_FALSE(LabelsMatch("!k"));
  EXPECT_FALSE(LabelsMatch("x"));
  EXPECT_FALSE(LabelsMatch("k="));
}

TEST(SelectorsTest, AKeyMayBeCalledIn) {
  const auto selectors = Selectors::Parse("", "in in (in)");
  ASSERT_TRUE(selectors) << selectors.error();
  LeaseMetadata metadata;
  metadata.labels = {{"in", "in"}};
  EXPECT_TRUE(selectors->Matches(metadata));
}

TEST(SelectorsTest, BrokenLabelSelectorsAreRefused) {
  for (const char* text : {"k===1", "k in 1", "k in (1", ",", "k,", "=1", "!",
                           "k=1 x", "a b", "k=a b", "k>1", "(", "k in ()x"}) {
    const auto selectors = Selectors::Parse("", text);
    ASSERT_FALSE(selectors) << text;
    EXPECT_THAT(selectors.error(), HasSubstr("unable to parse requirement"));
  }
}

TEST(SelectorsTest, TheNumberOfTermsIsBounded) {
  std::string fields, labels, set = "k in (1";
  for (int i = 0; i < 70; ++i) {
    fields += "metadata.name=a,";
    labels += (i == 0 ? "k" : ",k");
    set += ",1";
  }
  EXPECT_FALSE(Selectors::Parse(fields, ""));
  EXPECT_FALSE(Selectors::Parse("", labels));
  EXPECT_FALSE(Selectors::Parse("", set + ")"));
}

TEST(SelectorsTest, TheExactNameIsKnown) {
  EXPECT_EQ(Selectors::Parse("metadata.name=a", "")->ExactName(), "a");
  EXPECT_EQ(Selectors::Parse("metadata.name!=a", "")->ExactName(), "");
  EXPECT_EQ(Selectors::Parse("", "k")->ExactName(), "");
}

}  // namespace
}  // namespace tenure::embedded
