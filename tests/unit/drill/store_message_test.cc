#include "sidecar/drill/store_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

using testing::HasSubstr;

TEST(StoreMessage, RequestsAreWhatTheProtocolSays) {
  StoreRequest request;
  request.op = StoreRequest::Op::kWrite;
  request.resource = "r";
  request.token = 42;
  request.holder = "h";
  request.id = "i";
  request.value = "v";
  EXPECT_EQ(RequestLine(request),
            R"({"fenced":true,"holder":"h","id":"i","op":"write",)"
            R"("resource":"r","token":"42","value":"v"})");
  request.op = StoreRequest::Op::kReset;
  EXPECT_EQ(RequestLine(request), R"({"op":"reset","resource":"r"})");
}

TEST(StoreMessage, RequestsComeBack) {
  StoreRequest request;
  request.op = StoreRequest::Op::kWrite;
  request.resource = "r";
  request.token = 42;
  request.holder = "h";
  request.id = "i";
  request.value = "two\nlines";
  request.fenced = false;
  const auto read = ReadRequestLine(RequestLine(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->op, StoreRequest::Op::kWrite);
  EXPECT_EQ(read->token, 42);
  EXPECT_EQ(read->value, "two\nlines");
  EXPECT_FALSE(read->fenced);
}

TEST(StoreMessage, WrongRequestsAreRefusedWithWhatWasExpected) {
  const struct {
    std::string line;
    const char* expected;
  } wrong[] = {
      {"nonsense", "a JSON object"},
      {R"({"op":"drop","resource":"r"})", "reset, raise, write or read"},
      {R"({"op":"read"})", "[A-Za-z0-9._:-]"},
      {R"({"op":"read","resource":"a b"})", "[A-Za-z0-9._:-]"},
      {R"({"op":"read","resource":")" + std::string(201, 'a') + "\"}",
       "200 bytes"},
      // A number loses digits in some readers.
      {R"({"op":"raise","resource":"r","token":42,"holder":"h"})", "decimal"},
      {R"({"op":"raise","resource":"r","token":"-1","holder":"h"})", "decimal"},
      {R"({"op":"raise","resource":"r","token":"1"})", "holder"},
      {R"({"op":"write","resource":"r","token":"1","holder":"h"})", "an id"},
  };
  for (const auto& [line, expected] : wrong) {
    const auto read = ReadRequestLine(line);
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, HasSubstr(expected)) << line;
  }
}

TEST(StoreMessage, AnswersComeBack) {
  StoreAnswer answer;
  answer.result = StoreAnswer::Result::kOk;
  answer.token = 43;
  answer.holder = "h";
  answer.value = "v";
  answer.writes = 7;
  const auto read = ReadAnswerLine(AnswerLine(answer));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->token, 43);
  EXPECT_EQ(read->writes, 7);
  EXPECT_EQ(read->value, "v");
}

TEST(StoreMessage, AResetNeedsNoMoreThanOk) {
  const auto read = ReadAnswerLine(R"({"result":"ok"})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->result, StoreAnswer::Result::kOk);
}

TEST(StoreMessage, AJudgementWithoutATokenIsNoAnswer) {
  for (const char* line :
       {R"({"result":"refused"})", R"({"result":"accepted","token":4})",
        R"({"result":"maybe","token":"4"})", "[]", ""}) {
    EXPECT_FALSE(ReadAnswerLine(line)) << line;
  }
}

}  // namespace
}  // namespace tenure
