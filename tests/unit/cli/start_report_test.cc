#include "sidecar/cli/start_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/config/sidecar_plan.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
namespace {

using testing::HasSubstr;
using testing::Not;

SidecarPlan Plan(std::vector<std::string> leases) {
  SidecarPlan plan;
  plan.leases = std::move(leases);
  plan.authority.times = *EffectiveTimes(LeaseTimes{});
  plan.status_socket = "/run/tenure/tenure.sock";
  return plan;
}

TEST(StartReport, TheCurlLineUsesTheSimplestListener) {
  const SidecarPlan one = Plan({"a"});
  StartFacts facts{one, "ns", "me", "http://x", false, 7421, 7422};
  EXPECT_EQ(CurlLine(facts), "curl http://127.0.0.1:7421/v1/generation");
  facts.status_port = 0;
  EXPECT_EQ(CurlLine(facts),
            "curl --unix-socket /run/tenure/tenure.sock "
            "http://localhost/v1/generation");
}

TEST(StartReport, WithSeveralLeasesTheCurlLineNamesOne) {
  const SidecarPlan two = Plan({"a", "b"});
  EXPECT_EQ(CurlLine({two, "ns", "me", "http://x", false, 7421, 0}),
            "curl 'http://127.0.0.1:7421/v1/generation?lease=a'");
}

TEST(StartReport, WithoutAListenerThereIsNoCurlLine) {
  SidecarPlan plan = Plan({"a"});
  plan.status_socket.clear();
  EXPECT_EQ(CurlLine({plan, "ns", "me", "http://x", false, 0, 0}), "");
}

TEST(StartReport, TextHasTheArithmeticAndWhereToLook) {
  const SidecarPlan plan = Plan({"a"});
  const std::string text =
      StartText({plan, "ns", "me", "http://x", true, 7421, 7422});
  EXPECT_THAT(text, HasSubstr("a in namespace ns on http://x\n"));
  EXPECT_THAT(text, HasSubstr("valid_until = sent + 14.85s"));
  EXPECT_THAT(text, HasSubstr("  margin      = 15s"));
  EXPECT_THAT(text, HasSubstr("port 7422\n"));
  EXPECT_THAT(text, HasSubstr("  curl http://127.0.0.1:7421/v1/generation\n"));
  EXPECT_THAT(text, HasSubstr("the first is not 1"));
  EXPECT_THAT(StartText({plan, "ns", "me", "http://x", false, 7421, 7422}),
              Not(HasSubstr("the first is not 1")));
}

TEST(StartReport, LogsSayTheSameInOneLineEach) {
  const SidecarPlan plan = Plan({"a"});
  SnapshotBoard board(plan.leases);
  testing::internal::CaptureStderr();
  {
    const auto telemetry = Telemetry::New({}, &board);
    LogStart({plan, "ns", "me", "http://x", true, 7421, 0}, telemetry.get());
    telemetry->Flush(std::chrono::seconds(30));
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("\"holderIdentity\":\"me\""));
  EXPECT_THAT(text, HasSubstr("; valid_until = sent + 14.85s"));
  EXPECT_THAT(text, HasSubstr("\"readGeneration\":\"curl http://127"));
  EXPECT_THAT(text, Not(HasSubstr("probePort")));
}

}  // namespace
}  // namespace tenure
