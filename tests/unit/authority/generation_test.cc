#include "sidecar/authority/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure {
namespace {

LeaseRecord Record(const std::string& version,
                   std::optional<std::string> generation = std::nullopt) {
  LeaseRecord record;
  record.resource_version = version;
  record.generation = std::move(generation);
  return record;
}

std::int64_t Next(const LeaseRecord& record, const Witnesses& witnesses = {}) {
  return NextGeneration(record, witnesses).value_or(-1);
}

TEST(Generation, ParsesPlainDecimalsUpToTwoToThe53) {
  EXPECT_EQ(ParseGeneration("1").value_or(-1), 1);
  EXPECT_EQ(ParseGeneration("9007199254740991").value_or(-1), kMaxGeneration);
}

TEST(Generation, AFloorIsFromZeroToWhatLeavesOneAbove) {
  EXPECT_EQ(ParseFloor("0").value_or(-1), 0);
  EXPECT_EQ(ParseFloor("9007199254740990").value_or(-1), kMaxFloor);
  for (const char* text : {"", "00", "01", "-1", "9007199254740991"}) {
    EXPECT_FALSE(ParseFloor(text)) << text;
  }
}

TEST(Generation, RefusesWhatIsNotAPlainDecimal) {
  for (const char* text :
       {"", "0", "01", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1\n",
        "12x", "9007199254740992", "9223372036854775808",
        "99999999999999999999999999", "\xEF\xBC\x91"}) {
    const Result<std::int64_t> parsed = ParseGeneration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, testing::HasSubstr("found"));
  }
}

TEST(Generation, RefusalQuotesNoControlCharactersAndNotAllOfALongText) {
  const std::string message =
      ParseGeneration(std::string(5000, '9') + "\n\x1b[31m").error().message;
  EXPECT_LT(message.size(), 200U);
  EXPECT_EQ(ParseGeneration("\x1b[31m").error().message.find('\x1b'),
            std::string::npos);
  // Nor what would end the quotation.
  EXPECT_THAT(ParseGeneration("a\"b\x7f").error().message,
              testing::HasSubstr("found \"a?b?\""));
}

TEST(Generation, NextIsAboveTheResourceVersionEvenWithoutAnAnnotation) {
  EXPECT_EQ(Next(Record("1234")), 1235);
}

TEST(Generation, NextIsAboveEachWitness) {
  EXPECT_EQ(Next(Record("10", "500")), 501);
  EXPECT_EQ(Next(Record("700", "500")), 701);
  EXPECT_EQ(Next(Record("10", "20"), {.highest_seen = 30}), 31);
  EXPECT_EQ(Next(Record("10", "20"), {.min_generation = 40}), 41);
  EXPECT_EQ(Next(Record("10", "20"), {.floor = 50}), 51);
}

TEST(Generation, MalformedAnnotationIsRefusedWithTheWayOut) {
  for (const char* text : {"", "12x", "-7", "007", "9007199254740992"}) {
    const Result<std::int64_t> next =
        NextGeneration(Record("10", text), Witnesses{.highest_seen = 99});
    ASSERT_FALSE(next) << text;
    EXPECT_THAT(next.error().message, testing::HasSubstr("minGeneration"));
  }
}

TEST(Generation, MinGenerationReplacesAMalformedAnnotation) {
  EXPECT_EQ(Next(Record("10", "12x"), {.min_generation = 40}), 41);
  EXPECT_EQ(Next(Record("90", "12x"), {.min_generation = 40}), 91);
}

TEST(Generation, ResourceVersionThatIsNotDecimalIsRefused) {
  for (const char* version : {"", "abc", "12-3", "0x1", "-4"}) {
    EXPECT_FALSE(NextGeneration(Record(version, "5"), {})) << version;
    EXPECT_FALSE(NextGeneration(Record(version, "5"), {.min_generation = 9}))
        << version;
  }
}

TEST(Generation, NothingAboveTheRangeIsHandedOut) {
  EXPECT_FALSE(NextGeneration(Record("9007199254740991"), {}));
  EXPECT_FALSE(NextGeneration(Record("9007199254740992"), {}));
  EXPECT_FALSE(NextGeneration(Record("1", "9007199254740991"), {}));
  EXPECT_FALSE(NextGeneration(Record("1"), {.floor = kMaxGeneration}));
  EXPECT_EQ(Next(Record("1", "9007199254740990")), kMaxGeneration);
}

TEST(Generation, IsTheHoldersOwnOnlyIfTheHolderWroteIt) {
  LeaseRecord record = Record("10", "9");
  record.holder = "a";
  record.write = WriteMark("a", Entropy{1, 2});
  EXPECT_EQ(HolderGeneration(record), 9);
  record.holder = "elector";  // took over and kept our annotations
  EXPECT_EQ(HolderGeneration(record), 0);
  record.holder = "";
  EXPECT_EQ(HolderGeneration(record), 0);
  record.holder = "a";
  record.generation = "9x";
  EXPECT_EQ(HolderGeneration(record), 0);
  record.generation.reset();
  EXPECT_EQ(HolderGeneration(record), 0);
}

TEST(Generation, ResourceVersionsCompareAsNumbersOfAnyLength) {
  EXPECT_EQ(CompareResourceVersions("9", "10"), -1);
  EXPECT_EQ(CompareResourceVersions("10", "9"), 1);
  EXPECT_EQ(CompareResourceVersions("10", "10"), 0);
  EXPECT_EQ(CompareResourceVersions("0010", "10"), 0);
  EXPECT_EQ(CompareResourceVersions("0", "000"), 0);
  EXPECT_EQ(CompareResourceVersions("99999999999999999999999998",
                                    "99999999999999999999999999"),
            -1);
  EXPECT_EQ(CompareResourceVersions("x", "1"), -1);
  EXPECT_EQ(CompareResourceVersions("1", "x"), 1);
  EXPECT_EQ(CompareResourceVersions("", ""), 0);
}

}  // namespace
}  // namespace tenure
