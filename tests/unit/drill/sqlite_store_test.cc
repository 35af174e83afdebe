#include "sidecar/drill/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tenure {
namespace {

using Said = StoreAnswer::Result;
using Op = StoreRequest::Op;

class SqliteStoreTest : public testing::Test {
 protected:
  StoreAnswer Ask(Op op, std::int64_t token, const std::string& holder,
                  const std::string& id = "", bool fenced = true) {
    StoreRequest request;
    request.op = op;
    request.resource = "r";
    request.token = token;
    request.holder = holder;
    request.id = id;
    request.value = "value of " + id;
    request.fenced = fenced;
    return store_.Answer(request);
  }

  SqliteStore store_ = *SqliteStore::Open(":memory:");
};

TEST_F(SqliteStoreTest, AcceptsAHigherTokenAndTheSameOfTheSameHolder) {
  EXPECT_EQ(Ask(Op::kRaise, 5, "a").result, Said::kAccepted);
  EXPECT_EQ(Ask(Op::kRaise, 5, "a").result, Said::kAccepted);
  EXPECT_EQ(Ask(Op::kWrite, 5, "a", "1").result, Said::kAccepted);
  EXPECT_EQ(Ask(Op::kWrite, 8, "b", "2").result, Said::kAccepted);
}

TEST_F(SqliteStoreTest, RefusesALowerTokenAndTheSameOfAnother) {
  Ask(Op::kRaise, 5, "a");
  for (const auto op : {Op::kRaise, Op::kWrite}) {
    const StoreAnswer lower = Ask(op, 4, "a", "1");
    EXPECT_EQ(lower.result, Said::kRefused);
    EXPECT_EQ(lower.token, 5);
    EXPECT_EQ(Ask(op, 5, "b", "2").result, Said::kRefused);
  }
  const StoreAnswer now = Ask(Op::kRead, 0, "");
  EXPECT_EQ(now.writes, 0);
  EXPECT_EQ(now.holder, "a");
}

TEST_F(SqliteStoreTest, ARaiseAloneKeepsTheOldHolderOut) {
  Ask(Op::kWrite, 5, "a", "1");
  Ask(Op::kRaise, 9, "b");
  EXPECT_EQ(Ask(Op::kWrite, 5, "a", "2").result, Said::kRefused);
  EXPECT_EQ(Ask(Op::kRead, 0, "").value, "value of 1");
}

TEST_F(SqliteStoreTest, TheSameIdIsAppliedOnce) {
  Ask(Op::kWrite, 5, "a", "1");
  EXPECT_EQ(Ask(Op::kWrite, 5, "a", "1").result, Said::kAccepted);
  Ask(Op::kWrite, 9, "b", "2");
  EXPECT_EQ(Ask(Op::kWrite, 5, "a", "1").result, Said::kAccepted);
  const StoreAnswer now = Ask(Op::kRead, 0, "");
  EXPECT_EQ(now.writes, 2);
  EXPECT_EQ(now.value, "value of 2");
}

TEST_F(SqliteStoreTest, WithoutTheFenceALowerTokenOverwrites) {
  Ask(Op::kWrite, 9, "b", "1");
  EXPECT_EQ(Ask(Op::kWrite, 5, "a", "2", false).result, Said::kAccepted);
  const StoreAnswer now = Ask(Op::kRead, 0, "");
  EXPECT_EQ(now.value, "value of 2");
  EXPECT_EQ(now.token, 9);
}

TEST_F(SqliteStoreTest, AResetForgetsTheResource) {
  Ask(Op::kWrite, 9, "b", "1");
  EXPECT_EQ(Ask(Op::kReset, 0, "").result, Said::kOk);
  EXPECT_EQ(Ask(Op::kRead, 0, "").token, 0);
  EXPECT_EQ(Ask(Op::kWrite, 1, "a", "1").result, Said::kAccepted);
}

TEST(SqliteStore, AFileThatCannotBeIsRefused) {
  EXPECT_FALSE(SqliteStore::Open("/nonexistent/folder/store"));
}

}  // namespace
}  // namespace tenure
