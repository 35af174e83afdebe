#include "sidecar/config/flag_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<FlagSpec> kFlags{{"lease", 'l', "NAME", "", ""},
                                   {"namespace", 'n', "NAMESPACE", "", ""},
                                   {"watch", 0, "", "", ""},
                                   {"timeout", 't', "DURATION", "", ""},
                                   {"how", 0, "WAY", "", "", "fast|slow"}};

ParsedFlags Parsed(const std::vector<std::string>& arguments) {
  Result<ParsedFlags> parsed = ParseFlags(kFlags, arguments);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  return parsed.value_or(ParsedFlags{});
}

std::string Refusal(const std::vector<std::string>& arguments) {
  const Result<ParsedFlags> parsed = ParseFlags(kFlags, arguments);
  return parsed ? "" : parsed.error().message;
}

TEST(FlagParser, TakesEveryFormOfAValue) {
  EXPECT_THAT(
      Parsed({"--lease", "a", "--lease=b", "-l", "c", "-ld"}).given.at("lease"),
      ElementsAre("a", "b", "c", "d"));
}

TEST(FlagParser, AValueIsTakenAsItStands) {
  for (const char* text : {"a,b", "[a,b]", "{a}", "\"a\"", "a b", "%x", "="}) {
    EXPECT_THAT(Parsed({"--lease", text}).given.at("lease"), ElementsAre(text));
  }
}

TEST(FlagParser, ASwitchCanBeTurnedEitherWay) {
  EXPECT_THAT(Parsed({"--watch"}).given.at("watch"), ElementsAre("true"));
  EXPECT_THAT(Parsed({"--no-watch"}).given.at("watch"), ElementsAre("false"));
  EXPECT_THAT(Parsed({"--watch=off"}).given.at("watch"), ElementsAre("off"));
}

TEST(FlagParser, WhatIsNotGivenIsAbsent) {
  EXPECT_THAT(Parsed({}).given, IsEmpty());
}

TEST(FlagParser, PositionalsAreKeptInOrder) {
  EXPECT_THAT(Parsed({"ready", "--lease", "a", "x", "--", "--lease", "-", "--"})
                  .positionals,
              ElementsAre("ready", "x", "--lease", "-", "--"));
}

TEST(FlagParser, AnUnknownFlagIsRefusedWithTheOneMeant) {
  EXPECT_EQ(Refusal({"--leese", "a"}),
            "unknown flag --leese; did you mean --lease?");
  EXPECT_EQ(Refusal({"--xyzzy=1"}), "unknown flag --xyzzy");
  EXPECT_EQ(Refusal({"-x"}), "unknown flag -x");
}

TEST(FlagParser, AMissingValueIsRefused) {
  EXPECT_EQ(Refusal({"--namespace"}), "--namespace needs a value: NAMESPACE");
  EXPECT_EQ(Refusal({"--namespace="}), "--namespace needs a value: NAMESPACE");
  EXPECT_EQ(Refusal({"-l"}), "--lease needs a value: NAME");
  EXPECT_EQ(Refusal({"--timeout"}),
            "--timeout needs a value: a duration such as 15s");
  EXPECT_EQ(Refusal({"--how"}), "--how needs a value: fast or slow");
}

TEST(FlagParser, ThePositionalBehindKnownFlagsIsFound) {
  const auto first = [](const std::vector<std::string>& arguments) {
    return FirstPositional(kFlags, arguments);
  };
  EXPECT_EQ(first({"bill", "--date", "x"}), "bill");
  EXPECT_EQ(first({"--lease", "a", "--watch", "bill"}), "bill");
  EXPECT_EQ(first({"-la", "-t", "1s", "--timeout=2s", "--no-watch", "-"}), "-");
  EXPECT_EQ(first({"--lease", "a"}), std::nullopt);
  EXPECT_EQ(first({"--lease"}), std::nullopt);
  // Whether its value follows is not known.
  EXPECT_EQ(first({"--leese", "a"}), std::nullopt);
  EXPECT_EQ(first({"-x", "a"}), std::nullopt);
  EXPECT_EQ(first({}), std::nullopt);
}

TEST(FlagParser, TooManyArgumentsAreRefused) {
  EXPECT_EQ(Refusal(std::vector<std::string>(1025, "x")),
            "expected at most 1024 arguments, found 1025");
}

}  // namespace
}  // namespace tenure
