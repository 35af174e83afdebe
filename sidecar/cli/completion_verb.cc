// `tenure completion`: what a shell completes.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/cli/completion_script.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_group.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"

namespace tenure {
namespace {

// Those of its help; exec takes those of run as well.
std::vector<FlagSpec> FlagsOf(const Verb& verb) {
  std::vector<FlagSpec> flags;
  for (const FlagGroup& group : verb.help().groups) {
    flags.insert(flags.end(), group.flags.begin(), group.flags.end());
  }
  if (verb.run != &RunExec) return flags;
  for (FlagSpec& setting : SettingFlags()) {
    const auto same = [&](const FlagSpec& flag) {
      return flag.name == setting.name;
    };
    if (std::ranges::none_of(flags, same)) flags.push_back(std::move(setting));
  }
  return flags;
}

std::vector<CompletedVerb> CompletedVerbs() {
  std::vector<CompletedVerb> verbs;
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) names.emplace_back(verb.name);
  for (const Verb& verb : Verbs()) {
    CompletedVerb completed;
    completed.name = verb.name;
    completed.summary = verb.summary;
    completed.flags = FlagsOf(verb);
    if (completed.name == "help") completed.words = names;
    if (completed.name == "probe") {
      completed.words = {"ready", "live", "startup"};
    }
    if (completed.name == "completion") {
      completed.words = {"bash", "zsh", "fish"};
    }
    completed.runs_command = verb.run == &RunExec;
    verbs.push_back(std::move(completed));
  }
  return verbs;
}

}  // namespace

int RunCompletion(const VerbCall& call) {
  const auto flags = TakeFlags(call, {}, &CompletionHelp, 1);
  if (!flags) return flags.error();
  const std::string shell =
      flags->positionals.empty() ? "" : flags->positionals.front();
  const std::string script = CompletionScript(shell, CompletedVerbs());
  if (script.empty()) {
    PrintProblem("expected bash, zsh or fish, found \"" + shell + "\"");
    return kExitUsage;
  }
  std::fputs(script.c_str(), stdout);
  return kExitOk;
}

VerbHelp CompletionHelp() {
  return HelpText("completion bash|zsh|fish",
                  "Prints what completes verbs and flags in that shell.\n", {},
                  "  tenure completion bash > "
                  "/usr/share/bash-completion/completions/tenure\n"
                  "  source <(tenure completion zsh)\n"
                  "  tenure completion fish | source\n");
}

}  // namespace tenure
