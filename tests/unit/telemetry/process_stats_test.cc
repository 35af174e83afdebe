#include "sidecar/telemetry/process_stats.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr char kStat[] =
    "4242 (a b) (c)) S 1 4242 4242 0 -1 4194560 1021 0 0 0 150 50 0 0 20 0 5 0 "
    "3000 104857600 2048 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 "
    "1\n";

TEST(ProcessStats, FieldsAreCountedFromAfterTheCommand) {
  const ProcessStats stats = ParseProcessStat(kStat, 1000, 100, 4096);
  EXPECT_DOUBLE_EQ(stats.cpu_seconds, 2);
  EXPECT_DOUBLE_EQ(stats.threads, 5);
  EXPECT_DOUBLE_EQ(stats.virtual_bytes, 104857600);
  EXPECT_DOUBLE_EQ(stats.resident_bytes, 2048 * 4096.0);
  EXPECT_DOUBLE_EQ(stats.start_time_seconds, 1030);
}

TEST(ProcessStats, WhatIsMissingStaysZero) {
  for (const char* text : {"", "1 (x", "1 (x)", "1 (x) S 1 2", ")"}) {
    const ProcessStats stats = ParseProcessStat(text, 1000, 100, 4096);
    EXPECT_DOUBLE_EQ(stats.cpu_seconds, 0) << text;
    EXPECT_DOUBLE_EQ(stats.start_time_seconds, 0) << text;
  }
}

TEST(ProcessStats, ThisProcessHasSome) {
  const ProcessStats stats = ReadProcessStats();
  EXPECT_GT(stats.resident_bytes, 0);
  EXPECT_GT(stats.start_time_seconds, 1.6e9);
  EXPECT_GE(stats.threads, 1);
  EXPECT_GE(stats.open_fds, 3);
  EXPECT_GE(stats.max_fds, stats.open_fds);
}

}  // namespace
}  // namespace tenure
