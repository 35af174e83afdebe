#include "sidecar/planning/plan_document.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"
#include "sidecar/planning/lease_plan.h"

namespace tenure {
namespace {

using nlohmann::json;

TEST(PlanJson, GivesEveryFigureInMilliseconds) {
  PlanInputs inputs;
  inputs.p99_pause = std::chrono::seconds(4);
  inputs.max_network_delay = std::chrono::seconds(1);
  inputs.leases = 3;
  LeaseTimes times;
  times.lease_duration_seconds = 10;
  times.renew_interval = std::chrono::seconds(3);
  const json document = json::parse(PlanJson(
      CheckPlan(inputs, WithSuitableDeadline(times, Duration{0}).value())));
  EXPECT_EQ(document["durationsMs"]["lease"], 10'000);
  EXPECT_EQ(document["durationsMs"]["renewDeadline"], 6'600);
  EXPECT_EQ(document["minimumMs"], 9'750);
  EXPECT_EQ(document["marginMs"], 2'000);
  EXPECT_EQ(document["allowancesMs"]["jitter"], 500);
  EXPECT_EQ(document["allowancesMs"]["clock"], 100);
  EXPECT_EQ(document["leftMs"], 1'400);
  EXPECT_EQ(document["enough"], false);
  EXPECT_EQ(document["wouldDoMs"], 15'000);
  EXPECT_EQ(document["wouldDoRenewDeadlineMs"], 10'000);
  // What to run is what would do, not what was found too small.
  EXPECT_EQ(document["flags"],
            "--lease-duration 15s --renew-deadline 10s --renew-interval 3s");
  EXPECT_EQ(document["recoveryMs"], 11'100);
  EXPECT_EQ(document["requestsPerHour"]["lease"], 1'200);
  EXPECT_EQ(document["requestsPerHour"]["leaseAtMost"], 1'334);
  EXPECT_EQ(document["requestsPerHour"]["total"], 3'600);
  EXPECT_TRUE(document["warnings"].empty());
  EXPECT_FALSE(document["note"].get<std::string>().empty());
}

TEST(PlanJson, WhatWasNotAskedForIsNotThere) {
  PlanInputs inputs;
  inputs.p99_work = std::chrono::hours(167);
  LeaseTimes times;
  const LeasePlan plan = CheckPlan(inputs, EffectiveTimes(times).value());
  inputs.p99_work = std::chrono::hours(400);
  const json document = json::parse(PlanJson(CheckPlan(inputs, plan.times)));
  EXPECT_FALSE(document.contains("wouldDoMs"));
  EXPECT_FALSE(document.contains("flags"));
  EXPECT_FALSE(document["inputsMs"].contains("jobTimeout"));
}

}  // namespace
}  // namespace tenure
