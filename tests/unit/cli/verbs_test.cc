#include "sidecar/cli/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/config/load_settings.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran RunTenure(const std::vector<std::string>& arguments,
              const Environment& environment = {}) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.code = RunCommandLine(arguments, environment);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

TEST(Verbs, HelpOfEachIsCompleteAndHasAnExample) {
  for (const Verb& verb : Verbs()) {
    const Ran ran = RunTenure({verb.name, "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.err, IsEmpty());
    EXPECT_THAT(ran.out,
                AllOf(StartsWith("usage: tenure " + std::string(verb.name)),
                      HasSubstr("Example"),
                      HasSubstr("  tenure " + std::string(verb.name))))
        << verb.name;
    EXPECT_EQ(RunTenure({"help", verb.name}).out, ran.out);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST(Verbs, TheListNamesEachOnStdoutOnlyIfAskedFor) {
  const Ran asked = RunTenure({"--help"});
  EXPECT_EQ(asked.code, 0);
  const Ran wrong = RunTenure({});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_EQ(asked.out, wrong.err);
  for (const Verb& verb : Verbs()) {
    EXPECT_THAT(asked.out, HasSubstr(verb.name));
    EXPECT_THAT(asked.out, HasSubstr(verb.summary));
  }
}

TEST(Verbs, AnUnknownVerbExits64InOneLine) {
  for (const auto& [arguments, line] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"rnu"}, "unknown verb \"rnu\"; did you mean run?"},
           {{"xyzzy"}, "unknown verb \"xyzzy\"; `tenure help` lists them"},
           {{"help", "xyzzy"},
            "unknown verb \"xyzzy\"; `tenure help` lists them"},
           {{"--verbose", "run"},
            "expected a verb, found \"--verbose\"; flags stand after the "
            "verb, and `tenure help` lists the verbs"}}) {
    const Ran ran = RunTenure(arguments);
    EXPECT_EQ(ran.code, 64);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_EQ(ran.err, "tenure: " + line + "\n");
  }
}

TEST(Verbs, ACommandWithoutItsMarkIsToldWhereTheMarkStands) {
  const std::string how =
      ", found \"/app/bill\" without it; write tenure exec [FLAGS] -- "
      "/app/bill ...\n";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"exec", "/app/bill"},
           {"exec", "/app/bill", "--date", "x"},
           {"exec", "/app/bill", "--help"},
           {"exec", "--lease", "a", "-t", "1s", "/app/bill", "--lease"},
           {"exec", "/app/bill", "--", "x"}}) {
    const Ran ran = RunTenure(arguments);
    EXPECT_EQ(ran.code, 64);
    EXPECT_EQ(ran.err, "tenure: expected -- before the command" + how);
  }
  EXPECT_EQ(RunTenure({"exec", "--leese", "a"}).err,
            "tenure: unknown flag --leese; did you mean --lease?\n");
}

TEST(Verbs, AnArgumentTooManyIsToldWithTheUsage) {
  EXPECT_EQ(RunTenure({"run", "extra"}).err,
            "tenure: unexpected argument \"extra\"; usage: tenure run "
            "[FLAGS]\n");
}

TEST(Verbs, WrongUsageExits64InOneLine) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"run", "stray"},
           {"run", "--bogus"},
           {"run", "--lease"},
           {"dev", "--port", "70000"},
           {"probe"},
           {"probe", "healthy"},
           {"probe", "ready", "live"},
           {"status", "--output", "xml"},
           {"status", "--timeout", "5"},
           {"status", "--port", "x"},
           {"status", "--lease", "Not_Valid"},
           {"version", "-o", "yaml"},
           {"wait"},
           {"wait", "--for=uncertain"},
           {"wait", "--for=held", "--timeout", "soon"},
           {"release", "--generation", "0"},
           {"release", "--timeout", "x"},
           {"plan", "8s"},
           {"plan", "--p99-work", "8"},
           {"plan", "--leases", "0"},
           {"plan", "--renew-interval", "x"},
           {"plan", "--lease-duration", "2500ms"},
           {"plan", "--picture", "a.png"},
           {"plan", "-o", "yaml"},
           {"help", "run", "dev"}}) {
    const Ran ran = RunTenure(arguments);
    EXPECT_EQ(ran.code, 64) << arguments.back();
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, StartsWith("tenure: "));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Verbs, AWrongConfigurationExits78WithEveryProblem) {
  const Ran ran = RunTenure({"run", "--lease", "A", "--slots", "x"},
                            {{"TENURE_PRESET", "quick"}});
  EXPECT_EQ(ran.code, 78);
  EXPECT_EQ(ran.err,
            "tenure: TENURE_PRESET: expected fast, default or patient, found "
            "\"quick\"\n"
            "tenure: --lease: expected a name Kubernetes allows for a Lease, "
            "found \"A\": it has upper-case letters; use \"a\"\n"
            "tenure: --slots: expected a whole number from 0 to 64, found "
            "\"x\"\n");
}

TEST(Verbs, AMisspeltChoiceIsToldWithTheOneMeant) {
  EXPECT_EQ(RunTenure({"run", "--embedded", "--preset", "fasst"},
                      {{"XDG_RUNTIME_DIR", "/run/user/1"}})
                .err,
            "tenure: --preset: expected fast, default or patient, found "
            "\"fasst\"; did you mean fast?\n");
}

TEST(Verbs, AnXdgRuntimeDirThatIsTooLongIsNotCalledUnset) {
  for (const char* verb : {"status", "release"}) {
    const Ran ran =
        RunTenure({verb}, {{"XDG_RUNTIME_DIR", "/" + std::string(120, 'x')}});
    EXPECT_EQ(ran.code, 64);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("at most 107 bytes"), HasSubstr("socket")));
  }
}

TEST(Verbs, PrintConfigStartsNothing) {
  const Ran ran = RunTenure({"run", "--embedded", "--print-config"},
                            {{"XDG_RUNTIME_DIR", "/run/user/1"}});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("embedded: true  # --embedded\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("statusSocket: /run/user/1/tenure/tenure.sock"));
}

TEST(Verbs, VersionIsForPeopleAndPrograms) {
  EXPECT_THAT(RunTenure({"version"}).out, StartsWith("tenure "));
  EXPECT_EQ(RunTenure({"--version"}).out, RunTenure({"version"}).out);
  EXPECT_THAT(RunTenure({"version", "-o", "json"}).out,
              StartsWith("{\"version\":"));
}

TEST(Verbs, AnUnreachableSidecarExits69) {
  const Environment nowhere{{"TENURE_SOCKET", "/nonexistent/t.sock"}};
  for (const char* verb : {"status", "generation"}) {
    const Ran ran = RunTenure({verb}, nowhere);
    EXPECT_EQ(ran.code, 69);
    EXPECT_THAT(ran.err, HasSubstr("/nonexistent/t.sock"));
  }
}

}  // namespace
}  // namespace tenure
