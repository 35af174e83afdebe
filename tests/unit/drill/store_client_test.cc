#include "sidecar/drill/store_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Duration kLimit = std::chrono::seconds(20);

class StoreClientTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::string pattern = "/tmp/tenure-store-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A store that is a shell script.
  StoreTarget Script(const std::string& text) {
    const std::string path = folder_ + "/tenure-store-x";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0700);
    return *FindStore("x://host", {folder_}, "");
  }

  static StoreRequest Raise() {
    StoreRequest request;
    request.op = StoreRequest::Op::kRaise;
    request.resource = "r";
    request.token = 3;
    request.holder = "h";
    return request;
  }

  std::string folder_;
};

TEST_F(StoreClientTest, FindsTheProgramByScheme) {
  Script("exit 0");
  const auto by_folder = FindStore("x://host", {"/nonexistent", folder_}, "");
  ASSERT_TRUE(by_folder);
  EXPECT_EQ(by_folder->program, folder_ + "/tenure-store-x");
  EXPECT_EQ(by_folder->url, "x://host");
  EXPECT_TRUE(FindStore("x:", {}, "/nonexistent:" + folder_));
}

TEST_F(StoreClientTest, WhatCannotBeFoundIsRefusedInOneLine) {
  const auto none = FindStore("x://host", {folder_}, "");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message,
              AllOf(HasSubstr("tenure-store-x"), HasSubstr("--store-path")));
  for (const char* url : {"", "redis", "://x", "../../bin/sh:x", "A:b"}) {
    EXPECT_FALSE(FindStore(url, {folder_}, "")) << url;
  }
}

TEST_F(StoreClientTest, AProgramAnswersOverItsPipes) {
  StoreClient client(Script(
      R"(while read line; do echo '{"result":"accepted","token":"3"}'; done)"));
  for (int i = 0; i < 3; ++i) {
    const StoreAnswer answer = client.Ask(Raise(), kLimit);
    EXPECT_EQ(answer.result, StoreAnswer::Result::kAccepted) << answer.error;
    EXPECT_EQ(answer.token, 3);
  }
}

TEST_F(StoreClientTest, AProgramThatEndsOrBabblesGivesNoAnswer) {
  for (const char* text : {"exit 3", "echo babble", "echo '{}'"}) {
    StoreClient client(Script(text));
    const StoreAnswer answer = client.Ask(Raise(), kLimit);
    EXPECT_EQ(answer.result, StoreAnswer::Result::kUnknown) << text;
    EXPECT_THAT(answer.error, HasSubstr("tenure-store-x"));
  }
}

TEST_F(StoreClientTest, SilenceIsNoAnswerAndTheNextIsNotTakenForIt) {
  // The first of its runs says nothing; what it might have said is lost.
  StoreClient client(
      Script("read line\n"
             "if [ ! -e " +
             folder_ + "/again ]; then touch " + folder_ +
             "/again; exec sleep 60; fi\n"
             R"(echo '{"result":"refused","token":"9"}')"));
  EXPECT_EQ(client.Ask(Raise(), std::chrono::milliseconds(300)).result,
            StoreAnswer::Result::kUnknown);
  while (!std::filesystem::exists(folder_ + "/again")) {
    client.Ask(Raise(), std::chrono::milliseconds(300));
  }
  EXPECT_EQ(client.Ask(Raise(), kLimit).token, 9);
}

TEST_F(StoreClientTest, NobodyAtTheSocketIsNoAnswer) {
  StoreClient client(StoreTarget{folder_ + "/nothing", "", ""});
  EXPECT_EQ(client.Ask(Raise(), kLimit).result, StoreAnswer::Result::kUnknown);
}

}  // namespace
}  // namespace tenure
