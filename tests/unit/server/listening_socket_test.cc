#include "sidecar/server/listening_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "sidecar/server/port_owner.h"

namespace tenure {
namespace {

using ::testing::HasSubstr;

TEST(ListeningSocket, PortZeroIsAnyFreePort) {
  auto first = ListenOnTcp(TcpAddress::kLoopback4, 0, "--p");
  ASSERT_TRUE(first.has_value() && first->has_value());
  EXPECT_NE((*first)->port(), 0);
}

TEST(ListeningSocket, APortHeldOnOneAddressIsTakenOnAll) {
  auto first = ListenOnTcp(TcpAddress::kLoopback4, 0, "--p");
  ASSERT_TRUE(first.has_value() && first->has_value());
  for (const TcpAddress address : {TcpAddress::kLoopback4, TcpAddress::kAny4}) {
    const auto second = ListenOnTcp(address, (*first)->port(), "--p");
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().message, HasSubstr("choose another with --p"));
  }
}

TEST(ListeningSocket, MovingKeepsOneOwner) {
  auto made = ListenOnTcp(TcpAddress::kLoopback4, 0, "--p");
  ASSERT_TRUE(made.has_value() && made->has_value());
  const std::uint16_t port = (*made)->port();
  ListeningSocket second = *std::move(*made);
  EXPECT_EQ(second.port(), port);
  EXPECT_EQ((*made)->fd(), -1);
}

TEST(PortOwner, NamesThisProcess) {
  auto made = ListenOnTcp(TcpAddress::kLoopback4, 0, "--p");
  ASSERT_TRUE(made.has_value() && made->has_value());
  EXPECT_THAT(PortOwner((*made)->port()),
              HasSubstr("process " + std::to_string(getpid()) + " ("));
}

TEST(PortOwner, IsSilentAboutAFreePort) {
  std::uint16_t port = 0;
  {
    auto made = ListenOnTcp(TcpAddress::kLoopback4, 0, "--p");
    ASSERT_TRUE(made.has_value() && made->has_value());
    port = (*made)->port();
  }
  EXPECT_EQ(PortOwner(port), "");
}

}  // namespace
}  // namespace tenure
