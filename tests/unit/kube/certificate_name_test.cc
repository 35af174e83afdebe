#include "sidecar/kube/certificate_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(CertificateName, TakesNamesAndAddresses) {
  for (const char* const name :
       {"kube.test", "a", "KUBE_1.test", "127.0.0.1", "::1", "fd00::12"}) {
    const auto taken = CertificateName(name, "here");
    ASSERT_TRUE(taken.has_value()) << taken.error().message;
    EXPECT_EQ(*taken, name);
  }
}

TEST(CertificateName, LosesTheDotOfAnAbsoluteName) {
  EXPECT_EQ(*CertificateName("kube.test.", "here"), "kube.test");
}

TEST(CertificateName, WhatOpenSslWouldTakeForLessIsRefused) {
  const std::string zero("api.good\0x", 10);
  const std::string address_and_zero("127.0.0.1\0x", 11);
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."),
        std::string("kube.test.."), std::string(".kube.test"),
        std::string("kube..test"), zero, address_and_zero,
        std::string("kube test"), std::string("kube.test "),
        std::string("*.kube.test"), std::string("kube.test\r\nX-Evil: 1"),
        std::string("fe80::1%1"), std::string(254, 'a')}) {
    const auto taken = CertificateName(name, "clusters[c]");
    ASSERT_FALSE(taken.has_value()) << name;
    EXPECT_EQ(taken.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(taken.error().message,
                AllOf(HasSubstr("clusters[c]: expected the DNS name"),
                      Not(HasSubstr("\n")), Not(HasSubstr("\r"))));
  }
}

}  // namespace
}  // namespace tenure
