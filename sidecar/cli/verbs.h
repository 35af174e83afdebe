// The verbs of the command line.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_VERBS_H_
#define TENURE_CLI_VERBS_H_

#include <span>
#include <string>
#include <vector>

#include "sidecar/config/flag_parser.h"
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
  std::string (*help)();
};

std::span<const Verb> Verbs();

// Runs the verb that `arguments` begin with. What is no verb exits 64 with
// the list of them.
int RunCommandLine(std::vector<std::string> arguments,
                   const Environment& environment);

int RunSidecarVerb(const VerbCall& call);
std::string RunSidecarHelp();
int RunDev(const VerbCall& call);
std::string DevHelp();
int RunDrill(const VerbCall& call);
std::string DrillHelp();
// The processes of a drill, which `tenure drill` starts and nobody else.
int RunDrillPart(const std::string& name, const VerbCall& call);
int RunExec(const VerbCall& call);
std::string ExecHelp();
int RunStatus(const VerbCall& call);
std::string StatusHelp();
int RunGeneration(const VerbCall& call);
std::string GenerationHelp();
int RunProbe(const VerbCall& call);
std::string ProbeHelp();
int RunVersion(const VerbCall& call);
std::string VersionHelp();
int RunHelp(const VerbCall& call);
std::string HelpHelp();

}  // namespace tenure

#endif  // TENURE_CLI_VERBS_H_
