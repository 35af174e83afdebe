#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "sidecar/cli/standard_output.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/load_settings.h"

namespace {

tenure::Environment ReadEnvironment() {
  tenure::Environment environment;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string entry = *at;
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    environment[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return environment;
}

}  // namespace

int main(int argc, char** argv) {
  // A heap for each thread would cost memory, and no thread here allocates
  // much.
  mallopt(M_ARENA_MAX, 1);  // NOLINT(concurrency-mt-unsafe): no threads yet
  tenure::ReserveStandardStreams();
  const tenure::Environment environment = ReadEnvironment();
  const int code = tenure::ExitCodeOfOutput(tenure::RunCommandLine(
      std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
      environment));
  std::fflush(stderr);
  // Without static destruction: cpprestsdk's can hang on its own threads.
  _exit(code);
}
