// `tenure run`: settings, then the sidecar.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/sidecar_process.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/host_facts.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings_text.h"
#include "sidecar/config/sidecar_plan.h"

namespace tenure {
namespace {

int Refuse(const Problems& problems) {
  for (const std::string& problem : problems) PrintProblem(problem);
  return kExitConfiguration;
}

FlagSpec PrintConfigFlag() {
  return {"print-config", 0, "", "Print the effective configuration and exit.",
          ""};
}

}  // namespace

int RunSidecarVerb(const VerbCall& call) {
  std::vector<FlagSpec> specs = SettingFlags();
  specs.push_back(PrintConfigFlag());
  const auto flags = TakeFlags(call, std::move(specs), &RunSidecarHelp, 0);
  if (!flags) return flags.error();
  const auto loaded = LoadSettings(*flags, call.environment);
  const auto plan = MakePlan(loaded, ReadHostFacts(call.environment));
  if (!plan) return Refuse(plan.error());
  if (FlagIsOn(*flags, "print-config")) {
    std::fputs(EffectiveConfig(*plan).c_str(), stdout);
    return kExitOk;
  }
  return RunSidecar(*plan, call.environment);
}

VerbHelp RunSidecarHelp() {
  VerbHelp help;
  help.usage = "run [FLAGS]";
  help.about =
      "Holds a Lease, or waits for it, and serves the present generation\n"
      "until SIGTERM: then it drains, releases and exits 0; 1 if work did\n"
      "not end in time. A second SIGTERM exits at once, unreleased.\n\n"
      "Each flag is also a variable, TENURE_ and the flag in upper snake\n"
      "case, and a key of the file, in camel case. A flag wins over the\n"
      "environment, the environment over the file.\n";
  help.groups = SettingGroups();
  help.groups.push_back(
      {"Configuration", {SettingFlags().back(), PrintConfigFlag()}});
  help.example =
      "  tenure run --embedded\n"
      "  tenure run --lease billing --preset fast --config tenure.yaml\n"
      "  curl --unix-socket /run/tenure/tenure.sock "
      "http://localhost/v1/generation\n";
  return help;
}

}  // namespace tenure
