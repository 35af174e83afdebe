#include "sidecar/config/sidecar_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <expected>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/lease_set.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/load_settings.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class SidecarPlanTest : public testing::Test {
 protected:
  SidecarPlanTest() {
    host_.hostname = "laptop";
    host_.boot_id = "boot";
    host_.runtime_directory = "/run/user/1000";
  }

  std::expected<SidecarPlan, Problems> Make(
      const std::vector<std::string>& arguments) {
    const Result<ParsedFlags> flags = ParseFlags(SettingFlags(), arguments);
    EXPECT_TRUE(flags.has_value());
    const auto loaded = LoadSettings(*flags, {});
    return MakePlan(loaded, host_);
  }

  SidecarPlan Planned(const std::vector<std::string>& arguments) {
    auto plan = Make(arguments);
    EXPECT_TRUE(plan.has_value()) << plan.error().front();
    return plan.value_or(SidecarPlan{});
  }

  Problems Refusal(const std::vector<std::string>& arguments) {
    const auto plan = Make(arguments);
    return plan ? Problems{} : plan.error();
  }

  HostFacts host_;
};

TEST_F(SidecarPlanTest, SeveralLeasesAreSorted) {
  const SidecarPlan plan = Planned({"--lease", "b,a"});
  EXPECT_THAT(plan.leases, ElementsAre("a", "b"));
  EXPECT_EQ(plan.policy, LeaseSetPolicy::kAll);
}

TEST_F(SidecarPlanTest, SlotsAreNumberedFromZero) {
  const SidecarPlan plan = Planned({"--lease", "job", "--slots", "3"});
  EXPECT_THAT(plan.leases, ElementsAre("job-0", "job-1", "job-2"));
  EXPECT_EQ(plan.policy, LeaseSetPolicy::kAny);
}

TEST_F(SidecarPlanTest, SlotsNeedOneName) {
  EXPECT_THAT(Refusal({"--lease", "a,b", "--slots", "2"}),
              ElementsAre("--slots: expected one lease to number, found 2"));
}

TEST_F(SidecarPlanTest, TheNumberOfASlotCountsForTheLength) {
  EXPECT_THAT(Refusal({"--lease", std::string(252, 'a'), "--slots", "64"}),
              ElementsAre(HasSubstr("longer than 253")));
}

TEST_F(SidecarPlanTest, ALeaseIsNeededUnlessEmbedded) {
  EXPECT_THAT(Refusal({}), ElementsAre(HasSubstr("give --lease NAME")));
  const SidecarPlan plan = Planned({"--embedded"});
  EXPECT_THAT(plan.leases, ElementsAre("demo"));
  EXPECT_EQ(plan.authority.absent_lease, AbsentLease::kTake);
  EXPECT_EQ(Planned({"--lease=a"}).authority.absent_lease, AbsentLease::kWait);
  EXPECT_EQ(
      Planned({"--embedded", "--absent-lease=wait"}).authority.absent_lease,
      AbsentLease::kWait);
}

TEST_F(SidecarPlanTest, AllProblemsComeAtOnce) {
  EXPECT_THAT(
      Refusal({"--lease", "A,b:c", "--namespace", "x_y", "--lease-duration",
               "5s", "--probe-port", "7421", "--status-socket", "/s",
               "--control-socket", "/s", "--host-network", "true"}),
      ElementsAre(HasSubstr("use \"a\""), HasSubstr("use \"b-c\""),
                  HasSubstr("use \"x-y\""), HasSubstr("renew deadline"),
                  HasSubstr("--control-socket: "), HasSubstr("--probe-port: "),
                  HasSubstr("status-tcp: ")));
}

TEST_F(SidecarPlanTest, WithoutALeaseTheRestIsReportedAllTheSame) {
  EXPECT_THAT(
      Refusal({"--namespace", "x_y"}),
      ElementsAre(HasSubstr("give --lease NAME"), HasSubstr("use \"x-y\"")));
}

TEST_F(SidecarPlanTest, ALeaseNamedTwiceIsRefused) {
  EXPECT_THAT(Refusal({"--lease", "a,b,a"}),
              ElementsAre(HasSubstr("found \"a\" twice")));
}

TEST_F(SidecarPlanTest, SocketsLieWhereNobodyElseWrites) {
  EXPECT_EQ(Planned({"--lease=a"}).status_socket,
            "/run/user/1000/tenure/tenure.sock");
  EXPECT_EQ(Planned({"--lease=a"}).control_socket,
            "/run/user/1000/tenure/control.sock");
  host_.runtime_directory.clear();
  EXPECT_THAT(
      Refusal({"--lease=a"}),
      ElementsAre(AllOf(HasSubstr("give --status-socket PATH"),
                        HasSubstr("export XDG_RUNTIME_DIR=$(mktemp -d)"),
                        HasSubstr("every other terminal")),
                  AllOf(HasSubstr("give --control-socket PATH"),
                        HasSubstr("export XDG_RUNTIME_DIR=$(mktemp -d)"),
                        HasSubstr("no use to `tenure exec`"))));
  host_.root = true;
  EXPECT_EQ(Planned({"--lease=a"}).status_socket, "/run/tenure/tenure.sock");
  host_.root = false;
  host_.in_pod = true;
  EXPECT_EQ(Planned({"--lease=a"}).control_socket,
            "/run/tenure-control/control.sock");
}

TEST_F(SidecarPlanTest, ASocketCanBeSwitchedOff) {
  const SidecarPlan plan =
      Planned({"--lease=a", "--status-socket=none", "--control-socket=none"});
  EXPECT_EQ(plan.status_socket, "");
  EXPECT_EQ(plan.control_socket, "");
}

TEST_F(SidecarPlanTest, ASocketPathHasALimit) {
  EXPECT_THAT(
      Planned({"--lease=a", "--status-socket", "/" + std::string(106, 'a')})
          .status_socket,
      SizeIs(107));
  EXPECT_THAT(
      Refusal({"--lease=a", "--status-socket", "/" + std::string(107, 'a')}),
      ElementsAre(HasSubstr("at most 107 bytes, found 108")));
}

TEST_F(SidecarPlanTest, TcpUnderTheHostsNetworkMustBeForced) {
  host_.host_network = HostNetwork::kYes;
  EXPECT_THAT(Refusal({"--lease=a"}),
              ElementsAre(HasSubstr("--allow-host-network-tcp")));
  EXPECT_TRUE(Make({"--lease=a", "--no-status-tcp"}).has_value());
  EXPECT_TRUE(Make({"--lease=a", "--allow-host-network-tcp"}).has_value());
  EXPECT_TRUE(Make({"--lease=a", "--host-network=false"}).has_value());
}

TEST_F(SidecarPlanTest, AnUnknownNetworkInAPodIsAssumedItsOwnAndSaid) {
  host_.in_pod = true;
  EXPECT_THAT(Planned({"--lease=a"}).notes,
              ElementsAre(HasSubstr("--host-network")));
  EXPECT_THAT(Planned({"--lease=a", "--no-status-tcp"}).notes, SizeIs(0));
  EXPECT_THAT(Planned({"--lease=a", "--host-network=false"}).notes, SizeIs(0));
  host_.host_network = HostNetwork::kNo;
  EXPECT_THAT(Planned({"--lease=a"}).notes, SizeIs(0));
}

TEST_F(SidecarPlanTest, WhatWasWrongInTheSettingsComesWithTheRest) {
  EXPECT_THAT(
      Refusal({"--lease=A", "--slots=-1", "--renew-deadline=1h",
               "--probe-port=7421", "--color=pink"}),
      ElementsAre(HasSubstr("--lease: "), HasSubstr("--slots: "),
                  HasSubstr("--color: "), HasSubstr("--renew-deadline: "),
                  HasSubstr("--probe-port: ")));
}

TEST_F(SidecarPlanTest, NothingFollowsFromARefusedSetting) {
  EXPECT_THAT(Refusal({"--lease=a", "--lease-duration=x", "--ride-out=30s",
                       "--preset=fast"}),
              ElementsAre(HasSubstr("--lease-duration: ")));
}

TEST_F(SidecarPlanTest, AnEmbeddedServerExcludesAnother) {
  EXPECT_THAT(Refusal({"--embedded", "--kubeconfig", "x", "--context", "y"}),
              ElementsAre(HasSubstr("--kubeconfig"), HasSubstr("--context")));
  EXPECT_THAT(Refusal({"--lease=a", "--embedded-port", "1"}),
              ElementsAre(HasSubstr("with --embedded only")));
}

TEST_F(SidecarPlanTest, IdentityIsPodUidAndRandom) {
  const SidecarPlan plan = Planned({"--lease=a"});
  EXPECT_EQ(MakeIdentity(plan.settings, Entropy{0xabc, 1}),
            "laptop_boot_0000000000000abc");
  const SidecarPlan in_pod =
      Planned({"--lease=a", "--pod-name", "p", "--pod-uid", "u"});
  EXPECT_EQ(MakeIdentity(in_pod.settings, Entropy{1, 1}),
            "p_u_0000000000000001");
}

TEST_F(SidecarPlanTest, IdentityPartsArePrintableAndBounded) {
  EXPECT_THAT(Refusal({"--lease=a", "--pod-name", "a b", "--pod-uid",
                       std::string(254, 'x')}),
              ElementsAre(HasSubstr("--pod-name"), HasSubstr("--pod-uid")));
}

TEST_F(SidecarPlanTest, NoForeignDurationLimitIsNeverReached) {
  EXPECT_EQ(Planned({"--lease=a", "--max-foreign-duration", "0"})
                .authority.max_foreign_duration,
            Duration::max());
}

TEST_F(SidecarPlanTest, EveryValueSaysWhereItCameFrom) {
  const SidecarPlan plan = Planned({"--lease=a", "--preset=fast"});
  EXPECT_EQ(plan.origins.at("lease"), "--lease");
  EXPECT_EQ(plan.origins.at("lease-duration"), "preset fast");
  EXPECT_EQ(plan.origins.at("pod-name"), "the host name");
  EXPECT_EQ(plan.origins.at("probe-port"), "default");
}

}  // namespace
}  // namespace tenure
