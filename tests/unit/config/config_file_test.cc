#include "sidecar/config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "sidecar/config/given_value.h"

namespace tenure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string kHeader =
    "apiVersion: tenure.dev/v1alpha1\nkind: SidecarConfig\n";

Problems ProblemsOf(const std::string& text) {
  Problems problems;
  ParseConfigFile("t.yaml", text, &problems);
  return problems;
}

GivenValues Given(const std::string& text) {
  Problems problems;
  GivenValues given = ParseConfigFile("t.yaml", text, &problems);
  EXPECT_THAT(problems, IsEmpty());
  return given;
}

TEST(ConfigFile, ValuesKeepTheirTextAndWhereTheyStood) {
  const GivenValues given = Given(kHeader +
                                  "lease: [b, a]\n"
                                  "leaseDuration: 15s\n"
                                  "controlSocketMode: 0660\n"
                                  "watch: off\n");
  EXPECT_THAT(given.at("lease").texts, ElementsAre("b", "a"));
  EXPECT_THAT(given.at("lease-duration").texts, ElementsAre("15s"));
  EXPECT_EQ(given.at("lease-duration").origin, "t.yaml:4:16 leaseDuration");
  EXPECT_THAT(given.at("control-socket-mode").texts, ElementsAre("0660"));
  EXPECT_THAT(given.at("watch").texts, ElementsAre("off"));
}

TEST(ConfigFile, AListMayHaveOneMemberWithoutBrackets) {
  EXPECT_THAT(Given(kHeader + "lease: a\n").at("lease").texts,
              ElementsAre("a"));
}

TEST(ConfigFile, AllErrorsComeAtOnceWithLineAndColumn) {
  EXPECT_THAT(
      ProblemsOf("apiVersion: v1\n"
                 "leaseDuraton: 15s\n"
                 "lease: a\n"
                 "lease: b\n"
                 "preset: [fast]\n"
                 "context:\n"
                 "x: 1\n"),
      ElementsAre(
          "t.yaml:1:13 apiVersion: expected tenure.dev/v1alpha1, found \"v1\"",
          "t.yaml: expected kind: SidecarConfig, found none",
          "t.yaml:2:1 leaseDuraton: unknown key; did you mean leaseDuration?",
          "t.yaml:4:1 lease: given twice",
          "t.yaml:5:9 preset: expected a single value, found a list",
          "t.yaml:6:1 context: expected a single value, found nothing",
          "t.yaml:7:1 x: unknown key"));
}

TEST(ConfigFile, BrokenYamlIsRefusedWhereItBreaks) {
  const Problems problems = ProblemsOf(kHeader + "lease: [a\nb: }\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], StartsWith("t.yaml:"));
  EXPECT_THAT(problems[0], HasSubstr("expected YAML"));
  for (const auto& [text, found] :
       {std::pair{"lease: [a, b\n", "a list that no ] ends"},
        std::pair{"lease: {a: b\n", "a mapping that no } ends"},
        std::pair{"lease: &\n", "what its parser calls \""}}) {
    EXPECT_THAT(
        ProblemsOf(kHeader + text),
        ElementsAre(HasSubstr(std::string("expected YAML, found ") + found)));
  }
}

// yaml-cpp takes nothing of it, and would find documents without end.
TEST(ConfigFile, ATextThatNoDocumentBeginsWithIsRefused) {
  for (const char* text : {",a: b\n", "]", "}\n", "{}\n,\n"}) {
    EXPECT_THAT(ProblemsOf(text), ElementsAre(HasSubstr("t.yaml:"))) << text;
  }
  EXPECT_THAT(ProblemsOf(",a: b\n"),
              ElementsAre(HasSubstr("what no YAML document begins with")));
}

TEST(ConfigFile, OtherShapesAreRefused) {
  EXPECT_THAT(ProblemsOf(""), ElementsAre(HasSubstr("found an empty file")));
  EXPECT_THAT(ProblemsOf("- a\n"), ElementsAre(HasSubstr("found a list")));
  EXPECT_THAT(ProblemsOf(kHeader + "---\n" + kHeader),
              ElementsAre(HasSubstr("found several")));
  EXPECT_THAT(ProblemsOf(kHeader + "? [a]\n: b\n"),
              ElementsAre(HasSubstr("expected a key, found a list")));
  EXPECT_THAT(ProblemsOf(kHeader + "lease: {a: b}\n"),
              ElementsAre(HasSubstr("found a mapping")));
  EXPECT_THAT(ProblemsOf(kHeader + "lease: []\n"),
              ElementsAre(HasSubstr("expected a value or a list of values")));
}

TEST(ConfigFile, GarbageOnlyGetsAnAnswer) {
  EXPECT_FALSE(ProblemsOf(std::string("\0\xff\xfe{[", 5)).empty());
  EXPECT_FALSE(ProblemsOf(std::string(100'000, '[')).empty());
  EXPECT_FALSE(ProblemsOf("a: &x [*x]\n").empty());
  EXPECT_FALSE(ProblemsOf("a: *nothing\n").empty());
}

TEST(ConfigFile, AProblemIsOneLineWhateverTheParserQuotes) {
  const Problems problems = ProblemsOf(kHeader + "lease: \"\\\x01\"\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("escape character: ?"));
}

TEST(ConfigFile, ALongListEndsAtTheLimit) {
  std::string text = kHeader + "lease:\n";
  for (int i = 0; i < 1000; ++i) text += "- a\n";
  EXPECT_LE(Given(text).at("lease").texts.size(), 65U);
}

TEST(ConfigFile, AFileOfSomethingElseGetsNoLineForEachOfItsKeys) {
  std::string text = kHeader;
  for (int i = 0; i < 90'000; ++i) text += "k" + std::to_string(i) + ": v\n";
  const Problems problems = ProblemsOf(text);
  ASSERT_EQ(problems.size(), kMaxConfigProblems + 1);
  EXPECT_EQ(problems.back(),
            "t.yaml:103:1: expected keys of a sidecar's configuration, found "
            "100 problems; the rest is not looked at");
}

TEST(ConfigFile, AboveTheLimitIsRefusedUnread) {
  EXPECT_THAT(ProblemsOf(std::string(kMaxConfigFile + 1, ' ')),
              ElementsAre("t.yaml: expected at most 1 MiB, found more"));
}

TEST(ConfigFile, AFileIsReadFromDisk) {
  const std::string path = testing::TempDir() + "/config_file_test.yaml";
  std::ofstream(path) << kHeader << "lease: a\n";
  Problems problems;
  EXPECT_THAT(ReadConfigFile(path, &problems).at("lease").texts,
              ElementsAre("a"));
  EXPECT_THAT(problems, IsEmpty());
  std::remove(path.c_str());
}

TEST(ConfigFile, AFileThatCannotBeReadIsNamed) {
  Problems problems;
  ReadConfigFile("/nonexistent/t.yaml", &problems);
  ReadConfigFile(testing::TempDir(), &problems);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_THAT(problems[0], HasSubstr("/nonexistent/t.yaml"));
  EXPECT_THAT(problems[0], HasSubstr("No such file"));
  EXPECT_THAT(problems[1], HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace tenure
