#include "sidecar/config/host_facts.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

HostNetwork Network(const std::string& pod, const std::string& node) {
  return ReadHostFacts({{"POD_IP", pod}, {"HOST_IP", node}}).host_network;
}

TEST(HostFacts, ThePodIsOnTheNodesNetworkIfTheAddressIsTheSame) {
  EXPECT_EQ(Network("10.0.0.1", "10.0.0.1"), HostNetwork::kYes);
  EXPECT_EQ(Network("10.0.0.1", "10.0.0.2"), HostNetwork::kNo);
}

TEST(HostFacts, AddressesAreComparedHoweverTheyAreWritten) {
  EXPECT_EQ(Network("fd00::1", "fd00:0::1"), HostNetwork::kYes);
  EXPECT_EQ(Network("FD00::A", "fd00::a"), HostNetwork::kYes);
  EXPECT_EQ(Network("::ffff:10.0.0.1", "10.0.0.1"), HostNetwork::kYes);
  EXPECT_EQ(Network("fd00::1", "fd00::2"), HostNetwork::kNo);
}

TEST(HostFacts, WithoutBothAddressesItIsUnknown) {
  EXPECT_EQ(Network("", ""), HostNetwork::kUnknown);
  EXPECT_EQ(Network("10.0.0.1", ""), HostNetwork::kUnknown);
  EXPECT_EQ(Network("", "10.0.0.1"), HostNetwork::kUnknown);
  EXPECT_EQ(Network("pod", "pod"), HostNetwork::kUnknown);
}

}  // namespace
}  // namespace tenure
