#include "sidecar/cli/yaml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

TEST(YamlText, IsInBlocksAndInOrder) {
  EXPECT_EQ(YamlText(
                R"({"lease":"on","draining":false,"remainingMs":{"toRenewBy":7},
              "leases":[{"lease":"a","margin":1.5},2],"none":null,"empty":{},
              "list":[]})")
                .value(),
            "lease: \"on\"\n"
            "draining: false\n"
            "remainingMs:\n"
            "  toRenewBy: 7\n"
            "leases:\n"
            "  -\n"
            "    lease: \"a\"\n"
            "    margin: 1.5\n"
            "  - 2\n"
            "none: null\n"
            "empty: {}\n"
            "list: []\n");
}

TEST(YamlText, KeysThatYamlReadsOtherwiseAreQuoted) {
  EXPECT_EQ(YamlText(R"({"on":1,"a b":2,"null":3,"p99":4})").value(),
            "\"on\": 1\n\"a b\": 2\n\"null\": 3\np99: 4\n");
}

TEST(YamlText, NothingInItSteersATerminal) {
  EXPECT_EQ(YamlText("{\"holder\":\"\\u001b[2J\\n\\u00e4\"}").value(),
            "holder: \"\\u001b[2J\\n\\u00e4\"\n");
}

TEST(YamlText, WhatIsNoDocumentIsRefused) {
  EXPECT_FALSE(YamlText("").has_value());
  EXPECT_FALSE(YamlText("{").has_value());
  EXPECT_FALSE(
      YamlText(std::string(40, '[') + "1" + std::string(40, ']')).has_value());
  EXPECT_EQ(YamlText("7").value(), "7\n");
}

}  // namespace
}  // namespace tenure
