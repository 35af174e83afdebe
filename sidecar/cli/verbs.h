// The verbs of the command line.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_VERBS_H_
#define TENURE_CLI_VERBS_H_

#include <span>
#include <string>
#include <vector>

#include "sidecar/cli/verb_help.h"
#include "sidecar/config/load_settings.h"

namespace tenure {

struct VerbCall {
  std::vector<std::string> arguments;  // after the verb
  Environment environment;
};

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const VerbCall& call);  // the exit code
  VerbHelp (*help)();
};

std::span<const Verb> Verbs();

// Runs the verb that `arguments` begin with. What is no verb exits 64 with one
// line; no arguments at all, with the list of verbs.
int RunCommandLine(std::vector<std::string> arguments,
                   const Environment& environment);

int RunSidecarVerb(const VerbCall& call);
VerbHelp RunSidecarHelp();
int RunCompletion(const VerbCall& call);
VerbHelp CompletionHelp();
int RunDev(const VerbCall& call);
VerbHelp DevHelp();
int RunDrill(const VerbCall& call);
VerbHelp DrillHelp();
// The processes of a drill, which `tenure drill` starts and nobody else.
int RunDrillPart(const std::string& name, const VerbCall& call);
int RunExec(const VerbCall& call);
VerbHelp ExecHelp();
int RunPlan(const VerbCall& call);
VerbHelp PlanHelp();
int RunRelease(const VerbCall& call);
VerbHelp ReleaseHelp();
int RunStatus(const VerbCall& call);
VerbHelp StatusHelp();
int RunGeneration(const VerbCall& call);
VerbHelp GenerationHelp();
int RunProbe(const VerbCall& call);
VerbHelp ProbeHelp();
int RunWait(const VerbCall& call);
VerbHelp WaitHelp();
int RunVersion(const VerbCall& call);
VerbHelp VersionHelp();
int RunHelp(const VerbCall& call);
VerbHelp HelpHelp();

}  // namespace tenure

#endif  // TENURE_CLI_VERBS_H_
