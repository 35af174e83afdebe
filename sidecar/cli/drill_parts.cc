// The processes of `tenure drill`: verbs that no list shows (ARCHITECTURE.md).
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/drill/relay.h"
#include "sidecar/drill/store_process.h"
#include "sidecar/drill/writer.h"

namespace tenure {
namespace {

// 0: it is not a number of this type.
template <typename Number>
Number Read(const std::string& text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && at == end ? number : Number{0};
}

int RunWriterPart(const VerbCall& call) {
  const auto options = ReadWriterOptions(call.arguments.front());
  if (!options) {
    PrintProblem(options.error().message);
    return kExitUsage;
  }
  const Environment& told = call.environment;
  return RunDrillWriter(
      *options,
      WriterGrant{Read<std::int64_t>(Variable(told, "TENURE_GENERATION")),
                  Variable(told, "TENURE_HOLDER"),
                  Variable(told, "TENURE_SOCKET")});
}

}  // namespace

int RunDrillPart(const std::string& name, const VerbCall& call) {
  const auto& words = call.arguments;
  if (name == "drill-writer" && words.size() == 1) return RunWriterPart(call);
  if (name == "drill-store" && words.size() == 2) {
    return RunDrillStore(words[0], words[1]);
  }
  if (name == "drill-relay" && words.size() == 2) {
    return RunDrillRelay(Read<std::uint16_t>(words[0]),
                         Read<std::uint16_t>(words[1]));
  }
  PrintProblem("unknown verb \"" + name.substr(0, 80) +
               "\"; did you mean drill?");
  return kExitUsage;
}

}  // namespace tenure
