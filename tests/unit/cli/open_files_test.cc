#include "sidecar/cli/open_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(OpenFiles, WhateverTheLimitReadersLeaveAReserve) {
  for (const bool embedded : {false, true}) {
    for (const std::size_t leases : {std::size_t{1}, std::size_t{64}}) {
      for (std::int64_t limit = 0; limit < 4096; ++limit) {
        const auto shares = SharesOf(limit, 20, leases, embedded);
        if (!shares) continue;
        const auto own = 20 + 48 + 6 * static_cast<std::int64_t>(leases);
        EXPECT_LE(shares->local + shares->embedded, limit - own) << limit;
        EXPECT_GE(shares->local, 20) << limit;
        EXPECT_EQ(shares->embedded > 0, embedded) << limit;
      }
    }
  }
}

TEST(OpenFiles, MoreThanEnoughChangesNothing) {
  const auto shares = SharesOf(1'000'000, 20, 1, false);
  ASSERT_TRUE(shares.has_value());
  EXPECT_EQ(shares->local, 5 * 256);
  EXPECT_EQ(shares->embedded, 0);
}

TEST(OpenFiles, TheUsualSoftLimitSuffices) {
  EXPECT_TRUE(SharesOf(1024, 20, 64, true).has_value());
  EXPECT_TRUE(SharesOf(256, 10, 1, false).has_value());
}

TEST(OpenFiles, TooFewAreRefusedWithTheNumberNeeded) {
  const auto shares = SharesOf(64, 4, 1, false);
  ASSERT_FALSE(shares.has_value());
  EXPECT_THAT(shares.error().message,
              AllOf(HasSubstr("at least 78 open files"),
                    HasSubstr("a limit of 64"), HasSubstr("ulimit -n")));
}

TEST(OpenFiles, ThatAreFreeAreCountedByOpeningThem) {
  EXPECT_TRUE(CheckFreeFiles(4).has_value());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  const rlimit few{static_cast<rlim_t>(next) + 3, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto free = CheckFreeFiles(16);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(free.has_value());
  EXPECT_THAT(free.error().message,
              AllOf(HasSubstr("expected to open 16 more files"),
                    HasSubstr("only 3 are free"), HasSubstr("ulimit -n")));
}

}  // namespace
}  // namespace tenure
