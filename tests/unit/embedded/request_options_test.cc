#include "sidecar/embedded/request_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::embedded {
namespace {

using ::testing::HasSubstr;

Query Parse(const std::string& text) {
  return ParseRoute("GET", "/x?" + text)->query;
}

ApiStatus ListError(const std::string& text, bool watch = false) {
  const auto options = ParseListOptions(Parse(text), watch);
  EXPECT_FALSE(options) << text;
  return options ? ApiStatus{} : options.error();
}

ApiStatus WriteError(const std::string& text, const std::string& kind) {
  const auto options = ParseWriteOptions(Parse(text), kind);
  EXPECT_FALSE(options) << text;
  return options ? ApiStatus{} : options.error();
}

TEST(RequestOptionsTest, ListOptionsAreRead) {
  const auto options = ParseListOptions(
      Parse("limit=5&continue=x&resourceVersion=0&timeoutSeconds=3"), false);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->limit, 5U);
  EXPECT_EQ(options->continue_token, "x");
  EXPECT_EQ(options->resource_version, 0U);
  EXPECT_EQ(options->timeout_seconds, 3);
}

TEST(RequestOptionsTest, AbsentAndZeroMeanNoLimitAndNoTimeout) {
  const auto options =
      ParseListOptions(Parse("limit=-1&timeoutSeconds=0"), true);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->limit, 0U);
  EXPECT_EQ(options->timeout_seconds, std::nullopt);
  EXPECT_EQ(options->resource_version, std::nullopt);
  EXPECT_EQ(options->send_initial_events, std::nullopt);
}

TEST(RequestOptionsTest, WhatIsNoNumberIsABadRequest) {
  for (const char* text : {"limit=abc", "timeoutSeconds=1.5", "limit=1x",
                           "limit=99999999999999999999"}) {
    EXPECT_EQ(ListError(text).code, 400) << text;
  }
  EXPECT_THAT(ListError("limit=abc").message,
              HasSubstr("strconv.ParseInt: parsing \"abc\": invalid syntax"));
}

TEST(RequestOptionsTest, ABadVersionIs400ForListsAnd500ForWatches) {
  for (const char* text : {"resourceVersion=abc", "resourceVersion=-1",
                           "resourceVersion=18446744073709551616"}) {
    EXPECT_EQ(ListError(text).code, 400) << text;
    EXPECT_EQ(ListError(text, true).code, 500) << text;
    EXPECT_EQ(ListError(text, true).reason, "") << text;
  }
}

TEST(RequestOptionsTest, VersionMatchIsValidatedForLists) {
  EXPECT_EQ(ListError("resourceVersionMatch=Exact").code, 422);
  EXPECT_EQ(ListError("resourceVersion=5&resourceVersionMatch=Foo")
                .details->causes[0]
                .reason,
            "FieldValueNotSupported");
  EXPECT_EQ(ListError("resourceVersion=0&resourceVersionMatch=Exact").code,
            422);
  EXPECT_EQ(ListError("sendInitialEvents=true").details->causes[0].field,
            "sendInitialEvents");
  EXPECT_EQ(
      ListError("resourceVersion=5&resourceVersionMatch=Exact&continue=x").code,
      422);
}

TEST(RequestOptionsTest, InitialEventsNeedNotOlderThan) {
  EXPECT_EQ(ListError("sendInitialEvents=true", true).code, 422);
  EXPECT_EQ(ListError("resourceVersionMatch=Exact&resourceVersion=5", true)
                .details->causes.size(),
            2U);
  const auto options = ParseListOptions(
      Parse("sendInitialEvents=false&resourceVersionMatch=NotOlderThan"), true);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->send_initial_events, false);
}

TEST(RequestOptionsTest, WriteOptionsAreReadAndValidated) {
  const auto options = ParseWriteOptions(
      Parse("dryRun=All&fieldValidation=Strict&fieldManager=m"),
      "UpdateOptions");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->dry_run);
  EXPECT_EQ(options->field_validation, FieldValidation::kStrict);
  EXPECT_EQ(WriteError("dryRun=Foo", "CreateOptions").code, 422);
  EXPECT_EQ(WriteError("dryRun=All&dryRun=Foo", "CreateOptions").code, 422);
  EXPECT_EQ(WriteError("fieldValidation=Foo", "CreateOptions").details->kind,
            "CreateOptions");
  EXPECT_EQ(WriteError("fieldManager=" + std::string(129, 'x'), "CreateOptions")
                .details->causes[0]
                .reason,
            "FieldValueTooLong");
  EXPECT_EQ(WriteError("force=true", "PatchOptions").details->causes[0].field,
            "force");
}

TEST(RequestOptionsTest, AnyGoDurationIsATimeout) {
  EXPECT_FALSE(CheckTimeout(Parse("timeout=500h")));
  EXPECT_FALSE(CheckTimeout(Parse("timeout=-1s")));
  EXPECT_FALSE(CheckTimeout(Parse("")));
  const auto wrong = CheckTimeout(Parse("timeout=5"));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->code, 400);
  EXPECT_THAT(wrong->message, HasSubstr("missing unit"));
}

}  // namespace
}  // namespace tenure::embedded
