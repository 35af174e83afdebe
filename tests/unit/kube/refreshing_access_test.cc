#include "sidecar/kube/refreshing_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>

#include "sidecar/clock/system_clock.h"
#include "tests/unit/kube/scratch_folder.h"

namespace tenure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr RefreshPace kQuick{.poll = std::chrono::milliseconds{2},
                             .spacing = std::chrono::milliseconds{1},
                             .polls_per_resolution = 1};
// Nothing happens but what is asked for.
constexpr RefreshPace kOnDemand{.poll = std::chrono::hours{1},
                                .spacing = std::chrono::milliseconds{1},
                                .polls_per_resolution = 1'000'000};

// What the test lets be read, from any thread.
struct World {
  std::mutex mutex;
  Result<LoadedAccess> next = LoadedAccess{};
  Result<std::vector<std::string>> addresses =
      std::vector<std::string>{"10.0.0.1"};
  int loads = 0;
  int renewals = 0;

  template <typename Change>
  void Do(const Change& change) {
    const std::lock_guard lock(mutex);
    change();
  }
  int Loads() {
    const std::lock_guard lock(mutex);
    return loads;
  }
};

class FakeLoader : public AccessLoader {
 public:
  explicit FakeLoader(std::shared_ptr<World> world)
      : world_(std::move(world)) {}
  Result<LoadedAccess> Load(bool renew) override {
    const std::lock_guard lock(world_->mutex);
    ++world_->loads;
    if (renew) ++world_->renewals;
    return world_->next;
  }

 private:
  const std::shared_ptr<World> world_;
};

class RefreshingAccessTest : public testing::Test {
 protected:
  RefreshingAccessTest() {
    world_->next->access.host = "kube.test";
    world_->next->access.bearer_token = "one";
  }

  std::unique_ptr<AccessSource> Open(const RefreshPace& pace) {
    auto source = NewRefreshingAccess(
        std::make_unique<FakeLoader>(world_),
        [world = world_](const std::string&) {
          const std::lock_guard lock(world->mutex);
          return world->addresses;
        },
        pace);
    CHECK(source.has_value());
    return *std::move(source);
  }

  const std::shared_ptr<World> world_ = std::make_shared<World>();
};

TEST_F(RefreshingAccessTest, PublishesWhatItReadBeforeItReturns) {
  const auto source = Open(kOnDemand);
  EXPECT_EQ(source->Current()->bearer_token, "one");
  EXPECT_THAT(source->Current()->addresses, ElementsAre("10.0.0.1"));
}

TEST_F(RefreshingAccessTest, AFirstReadThatFailsIsTheCallersError) {
  world_->next = Fail(ErrorCode::kInvalidArgument, "no good");
  const auto source = NewRefreshingAccess(
      std::make_unique<FakeLoader>(world_),
      [](const std::string&) { return std::vector<std::string>{}; }, kOnDemand);
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().message, "no good");
}

TEST_F(RefreshingAccessTest, RefreshReadsAgainAndRenewsCredentials) {
  const auto source = Open(kOnDemand);
  world_->Do([&] { world_->next->access.bearer_token = "two"; });
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->bearer_token == "two"; }));
  EXPECT_EQ(world_->renewals, 1);
}

TEST_F(RefreshingAccessTest, ManyRefreshesAreOne) {
  RefreshPace pace = kOnDemand;
  pace.spacing = std::chrono::hours{1};
  const auto source = Open(pace);
  for (int i = 0; i < 1000; ++i) source->Refresh();
  EXPECT_TRUE(Eventually([&] { return world_->Loads() >= 2; }));
  for (int i = 0; i < 1000; ++i) source->Refresh();
  EXPECT_EQ(world_->Loads(), 2);
}

TEST_F(RefreshingAccessTest, AChangedFileIsReadWithoutBeingAsked) {
  const ScratchFolder folder;
  world_->next->files = {folder.Write("token", "one")};
  const auto source = Open(kQuick);
  // Once more after the first, because the files were not known before it.
  ASSERT_TRUE(Eventually([&] { return world_->Loads() == 2; }));
  world_->Do([&] { world_->next->access.bearer_token = "two"; });
  folder.Write("token", "two");
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->bearer_token == "two"; }));
  EXPECT_EQ(world_->renewals, 0);
}

TEST_F(RefreshingAccessTest, CredentialsNearTheirEndAreReadAgain) {
  world_->next->expires =
      WallTime{ReadClocks().wall.since_epoch + kCredentialMargin / 2};
  const auto source = Open(kQuick);
  EXPECT_TRUE(Eventually([&] { return world_->Loads() >= 2; }));
}

TEST_F(RefreshingAccessTest, AFailedReadKeepsTheSnapshotAndSaysWhy) {
  const auto source = Open(kOnDemand);
  world_->Do([&] { world_->next = Fail(ErrorCode::kNotFound, "token: gone"); });
  source->Refresh();
  EXPECT_TRUE(Eventually(
      [&] { return source->Current()->refresh_error == "token: gone"; }));
  EXPECT_EQ(source->Current()->bearer_token, "one");
  EXPECT_THAT(source->Current()->addresses, ElementsAre("10.0.0.1"));
  world_->Do([&] { world_->next = LoadedAccess{}; });
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->refresh_error.empty(); }));
}

TEST_F(RefreshingAccessTest, TheLastGoodAddressesServeOn) {
  const auto source = Open(kOnDemand);
  world_->Do([&] {
    world_->addresses = Fail(ErrorCode::kUnavailable, "dead name server");
    world_->next->access.bearer_token = "two";
  });
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->bearer_token == "two"; }));
  EXPECT_THAT(source->Current()->addresses, ElementsAre("10.0.0.1"));
  EXPECT_THAT(source->Current()->refresh_error, HasSubstr("dead name server"));
}

TEST_F(RefreshingAccessTest, AddressesOfAnotherHostDoNotServe) {
  const auto source = Open(kOnDemand);
  world_->Do([&] {
    world_->addresses = Fail(ErrorCode::kUnavailable, "dead name server");
    world_->next->access.host = "other.test";
  });
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->host == "other.test"; }));
  EXPECT_THAT(source->Current()->addresses, IsEmpty());
}

TEST_F(RefreshingAccessTest, ANameThatDidNotResolveIsTriedAtEachPoll) {
  world_->addresses = Fail(ErrorCode::kUnavailable, "dead name server");
  RefreshPace pace = kQuick;
  pace.polls_per_resolution = 1'000'000;
  const auto source = Open(pace);
  EXPECT_THAT(source->Current()->addresses, IsEmpty());
  world_->Do([&] { world_->addresses = std::vector<std::string>{"10.0.0.2"}; });
  EXPECT_TRUE(
      Eventually([&] { return !source->Current()->addresses.empty(); }));
  EXPECT_EQ(source->Current()->refresh_error, "");
}

TEST_F(RefreshingAccessTest, NamesAreResolvedAgainNowAndThen) {
  const auto source = Open(kQuick);
  world_->Do([&] { world_->addresses = std::vector<std::string>{"10.0.0.2"}; });
  EXPECT_TRUE(Eventually([&] {
    return source->Current()->addresses == std::vector<std::string>{"10.0.0.2"};
  }));
  EXPECT_EQ(world_->Loads(), 1);
}

TEST_F(RefreshingAccessTest, TheSerialRisesWithWhatConnectionsAreMadeOf) {
  const auto source = Open(kOnDemand);
  const auto serial_after = [&](const auto& change) {
    const auto before = source->Current();
    world_->Do([&] { change(world_->next->access); });
    source->Refresh();
    EXPECT_TRUE(Eventually([&] { return source->Current() != before; }));
    return source->Current()->tls_serial - before->tls_serial;
  };
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.bearer_token = "two"; }), 0U);
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.default_namespace = "x"; }), 0U);
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.ca_pem = "x"; }), 1U);
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.client_key_pem = "x"; }), 1U);
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.port = 6443; }), 1U);
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.verify_name = "x"; }), 1U);
  EXPECT_EQ(serial_after([](ApiAccess& a) { a.insecure = true; }), 1U);
}

TEST_F(RefreshingAccessTest, ItsEndDoesNotWaitForADeadNameServer) {
  std::promise<void> entered;
  std::promise<void> revived;
  const auto wait =
      std::make_shared<std::shared_future<void>>(revived.get_future().share());
  const auto calls = std::make_shared<std::atomic<int>>(0);
  auto source = NewRefreshingAccess(
      std::make_unique<FakeLoader>(world_),
      [wait, calls, &entered](const std::string&) {
        if ((*calls)++ == 1) {
          entered.set_value();
          wait->wait();
        }
        return std::vector<std::string>{"10.0.0.1"};
      },
      kOnDemand);
  (*source)->Refresh();
  entered.get_future().wait();
  source->reset();
  revived.set_value();
}

}  // namespace
}  // namespace tenure
