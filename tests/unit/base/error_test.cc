#include "sidecar/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tenure {
namespace {

// Metrics and alerts name them: a renamed one breaks somebody's dashboard.
TEST(Error, CodesHaveTheirPublishedNames) {
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kInvalidArgument), "invalidArgument");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kNotFound), "notFound");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kConflict), "conflict");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kUnauthenticated), "unauthenticated");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kForbidden), "forbidden");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kThrottled), "throttled");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kNotSent), "notSent");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kOutcomeUnknown), "outcomeUnknown");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kRefused), "refused");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kUnavailable), "unavailable");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kDeadlineExceeded), "deadlineExceeded");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kInternal), "internal");
}

TEST(Error, NoTwoCodesShareAName) {
  std::set<std::string> names;
  int codes = 0;
  for (; codes <= static_cast<int>(ErrorCode::kInternal); ++codes) {
    names.insert(ErrorCodeName(static_cast<ErrorCode>(codes)));
  }
  EXPECT_EQ(static_cast<int>(names.size()), codes);
}

TEST(Error, FailMakesAResultWithoutAValue) {
  const Result<int> result = Fail(ErrorCode::kNotFound, "no such file");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "no such file");
}

// One nobody filled in must not pass for something the core acts upon.
TEST(Error, IsInternalUnlessToldOtherwise) {
  EXPECT_EQ(Error{}.code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace tenure
