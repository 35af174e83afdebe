#include "sidecar/authority/lease_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure {
namespace {

using testing::ElementsAre;

constexpr LeaseSetMember kIdle{};
constexpr LeaseSetMember kTakeable{.takeable = true};
constexpr LeaseSetMember kHeld{.held = true, .engaged = true};
constexpr LeaseSetMember kAcquiring{.engaged = true};

LeaseSetDecision All(std::vector<LeaseSetMember> members) {
  return Decide(LeaseSetPolicy::kAll, members, 0);
}

LeaseSetDecision Any(std::vector<LeaseSetMember> members,
                     std::size_t start = 0) {
  return Decide(LeaseSetPolicy::kAny, members, start);
}

TEST(LeaseSet, AllIsAcquiredInSortedOrder) {
  EXPECT_THAT(All({kTakeable, kTakeable}).contend, ElementsAre(true, false));
  EXPECT_THAT(All({kAcquiring, kTakeable}).contend, ElementsAre(true, false));
  EXPECT_THAT(All({kHeld, kTakeable}).contend, ElementsAre(true, true));
  EXPECT_THAT(All({kHeld, kHeld}).contend, ElementsAre(true, true));
  EXPECT_THAT(All({kHeld, kHeld}).give_up, ElementsAre(false, false));
}

TEST(LeaseSet, ALaterOneIsGivenUpWhileAnEarlierOneIsMissing) {
  const LeaseSetDecision decision = All({kIdle, kHeld, kHeld});
  EXPECT_THAT(decision.give_up, ElementsAre(false, true, true));
  EXPECT_FALSE(decision.contend[1]);
  EXPECT_FALSE(decision.contend[2]);
}

TEST(LeaseSet, ALostOneIsContendedForOnlyWhenTheLaterOnesAreGivenUp) {
  EXPECT_FALSE(All({kTakeable, kHeld}).contend[0]);
  EXPECT_TRUE(All({kTakeable, kIdle}).contend[0]);
}

TEST(LeaseSet, AnyTakesExactlyOneSlot) {
  EXPECT_THAT(Any({kTakeable, kTakeable, kTakeable}).contend,
              ElementsAre(true, false, false));
  EXPECT_THAT(Any({kIdle, kTakeable, kTakeable}).contend[1], true);
  EXPECT_THAT(Any({kIdle, kTakeable, kTakeable}).contend[2], false);
}

TEST(LeaseSet, AnyWaitsWhileNoSlotIsFree) {
  const LeaseSetDecision decision = Any({kIdle, kIdle});
  EXPECT_THAT(decision.contend, ElementsAre(false, false));
  EXPECT_THAT(decision.give_up, ElementsAre(false, false));
}

TEST(LeaseSet, AnyStartsWhereItIsToldTo) {
  EXPECT_THAT(Any({kTakeable, kTakeable, kTakeable}, 2).contend,
              ElementsAre(false, false, true));
  EXPECT_THAT(Any({kTakeable, kTakeable, kTakeable}, 4).contend,
              ElementsAre(false, true, false));
}

TEST(LeaseSet, AnyContendsForNoSecondSlot) {
  const LeaseSetDecision held = Any({kTakeable, kHeld, kTakeable});
  EXPECT_FALSE(held.contend[0]);
  EXPECT_FALSE(held.contend[2]);
  EXPECT_THAT(held.give_up, ElementsAre(false, false, false));
  const LeaseSetDecision acquiring = Any({kTakeable, kAcquiring, kTakeable});
  EXPECT_FALSE(acquiring.contend[0]);
  EXPECT_FALSE(acquiring.contend[2]);
}

TEST(LeaseSet, AnyGivesUpASecondSlotWonByALateAnswer) {
  const LeaseSetDecision decision = Any({kHeld, kIdle, kHeld});
  EXPECT_EQ(static_cast<int>(decision.give_up[0]) +
                static_cast<int>(decision.give_up[2]),
            1);
}

}  // namespace
}  // namespace tenure
