#include "sidecar/cli/completion_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<CompletedVerb> Two() {
  CompletedVerb plan;
  plan.name = "plan";
  plan.summary = "what it's for: sums";
  plan.flags = {{"picture", 'p', "FILE", "Draw it [too]: here. Not there.", ""},
                {"leases", 0, "N", "How many.", "1"},
                {"observe", 0, "", "Ask.", ""},
                {"output", 'o', "FORMAT", "How.", "text", "text|json"}};
  CompletedVerb exec;
  exec.name = "exec";
  exec.summary = "run";
  exec.runs_command = true;
  exec.words = {"a", "b"};
  return {plan, exec};
}

TEST(CompletionScript, BashKnowsVerbsFlagsFilesAndCommands) {
  EXPECT_THAT(
      CompletionScript("bash", Two()),
      AllOf(HasSubstr("compgen -W 'plan exec'"),
            HasSubstr("plan) words='--picture --leases --observe --output "
                      "--help' ;;"),
            HasSubstr("exec) words='a b --help --' ;;"),
            HasSubstr("    *:--picture|plan:-p)\n      _tenure_names -f"),
            HasSubstr("    *:--leases|*:--output|plan:-o)\n      return ;;"),
            HasSubstr("    plan:--output|plan:-o)\n"
                      "      COMPREPLY=($(compgen -W 'text json' --"),
            HasSubstr("_tenure_names -c -f")));
}

TEST(CompletionScript, ZshEscapesWhatItsOwnSyntaxReads) {
  EXPECT_THAT(
      CompletionScript("zsh", Two()),
      AllOf(HasSubstr("'plan:what it'\\''s for\\: sums'"),
            HasSubstr("'*'{-p+,--picture=}'[Draw it \\[too\\]\\: "
                      "here]:FILE:_files'"),
            HasSubstr("'--observe[Ask]'"),
            HasSubstr("'*--leases=[How many]:N:'"),
            HasSubstr("'*'{-o+,--output=}'[How]:FORMAT:(text json)'"),
            HasSubstr("_arguments -S"), HasSubstr("'*::command:_normal'"),
            Not(HasSubstr("Not there"))));
}

TEST(CompletionScript, FishHasALineForEachFlag) {
  EXPECT_THAT(
      CompletionScript("fish", Two()),
      AllOf(HasSubstr("-a plan -d 'what it'\\''s for: sums'"),
            HasSubstr("__fish_seen_subcommand_from plan' -l picture -s p -rF "
                      "-d 'Draw it [too]: here'"),
            HasSubstr("-l leases -x -d 'How many'"),
            HasSubstr("-l observe -d 'Ask'"),
            HasSubstr("-l output -s o -x -a 'text json' -d 'How'"),
            HasSubstr("from exec' -a '(__tenure_command)'")));
}

TEST(CompletionScript, OtherShellsHaveNone) {
  EXPECT_EQ(CompletionScript("tcsh", Two()), "");
  EXPECT_EQ(CompletionScript("", Two()), "");
}

}  // namespace
}  // namespace tenure
