// `tenure drill`: does the fence hold?
#include <glob.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/standard_output.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/closest_name.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/lease_name.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/drill/drill_run.h"
#include "sidecar/drill/options.h"
#include "sidecar/drill/report_html.h"
#include "sidecar/drill/report_text.h"
#include "sidecar/drill/scripts.h"
#include "sidecar/drill/store_client.h"
#include "sidecar/gate/exit_codes.h"
#include "sidecar/gate/signals.h"

namespace tenure {
namespace {

constexpr Duration kApiLimit = std::chrono::seconds(10);
// The longest name of a drill still fits behind it.
constexpr std::size_t kMostOfALeaseName = 200;

std::vector<std::string> DrillNames() {
  std::vector<std::string> names;
  for (const Drill& drill : Drills()) names.emplace_back(drill.name);
  return names;
}

std::string Joined(const std::vector<std::string>& words,
                   const char* between = ", ") {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

std::vector<FlagSpec> DrillFlags() {
  static const std::string kNames = Joined(DrillNames(), "|");
  return {
      {"drill", 'd', "NAME",
       "Which drill; repeat it for several. One of " + Joined(DrillNames()) +
           ".",
       "pause", kNames.c_str()},
      {"all", 'a', "", "Every drill.", "false"},
      {"unfenced", 0, "",
       "Without the fence: shows that the stale write is accepted then. Exits "
       "1.",
       "false"},
      {"contenders", 0, "N", "How many, 2 to 8.", "2"},
      {"preset", 0, "NAME",
       "Times of the lease, as `tenure run` has them: fast, default or "
       "patient.",
       "fast", "fast|default|patient"},
      {"store", 0, "URL",
       "The protected store: each writer talks to it through a program "
       "tenure-store-SCHEME of its own. docs/drill.md has the protocol.",
       "SQLite, in a process of its own"},
      {"store-path", 0, "DIR",
       "Where to look for that program before PATH; can be repeated.", "PATH"},
      {"kubeconfig", 0, "FILE",
       "Contend on this API server, in place of an embedded one. The drill "
       "creates Leases of its own there, and leaves them released.",
       "an embedded API server"},
      {"context", 0, "NAME", "Context of the kubeconfig.",
       "the current context"},
      {"namespace", 'n', "NAMESPACE", "Namespace of these Leases.",
       "that of the context"},
      {"lease", 'l', "NAME", "The Leases are NAME-DRILL.", "tenure-drill"},
      {"output", 'o', "FORMAT",
       "text: each step as it happens. json, junit: one report at the end.",
       "text", "text|json|junit"},
      {"html", 0, "FILE",
       "Write a page with a picture of each drill, that needs no other file.",
       "none"},
  };
}

std::unexpected<Error> Usage(std::string text) {
  return Fail(ErrorCode::kInvalidArgument, std::move(text));
}

Result<std::vector<std::string>> ChosenDrills(const ParsedFlags& flags) {
  std::vector<std::string> known = DrillNames();
  if (FlagIsOn(flags, "all")) return known;
  const auto given = flags.given.find("drill");
  if (given == flags.given.end()) return std::vector<std::string>{"pause"};
  for (const std::string& name : given->second) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = ClosestName(name, known);
    return Usage("--drill: expected one of " + Joined(known) + ", found \"" +
                 name + "\"" +
                 (meant.empty() ? "" : "; did you mean " + meant + "?"));
  }
  return given->second;
}

Result<std::size_t> ContenderCount(const ParsedFlags& flags) {
  const std::string text = FlagValue(flags, "contenders", "2");
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || at != end || count < 2 ||
      count > kMostContenders) {
    return Usage("--contenders: expected 2 to 8, found \"" + text + "\"");
  }
  return count;
}

// Refuses what is not one of `allowed`.
Result<std::string> OneOf(const ParsedFlags& flags, const std::string& name,
                          const std::vector<std::string>& allowed) {
  std::string text = FlagValue(flags, name, allowed.front());
  if (std::ranges::find(allowed, text) != allowed.end()) return text;
  return Usage("--" + name + ": expected one of " + Joined(allowed) +
               ", found \"" + text + "\"");
}

Result<void> ReadStore(const ParsedFlags& flags, const Environment& environment,
                       DrillOptions* options) {
  const std::string url = FlagValue(flags, "store", "");
  const auto paths = flags.given.find("store-path");
  if (url.empty()) {
    if (paths == flags.given.end()) return {};
    return Usage("--store-path: expected --store with it, found none");
  }
  Result<StoreTarget> store = FindStore(
      url,
      paths == flags.given.end() ? std::vector<std::string>() : paths->second,
      Variable(environment, "PATH"));
  if (!store) return Usage("--store: " + store.error().message);
  options->store = *std::move(store);
  return {};
}

Result<void> ReadServer(const ParsedFlags& flags, DrillOptions* options) {
  options->lease = FlagValue(flags, "lease", "tenure-drill");
  const Result<void> named = CheckLeaseName(options->lease);
  if (!named) return Usage("--lease: " + named.error().message);
  if (options->lease.size() > kMostOfALeaseName) {
    return Usage("--lease: expected at most 200 bytes, found " +
                 std::to_string(options->lease.size()));
  }
  options->embedded =
      !flags.given.contains("kubeconfig") && !flags.given.contains("context");
  if (options->embedded && flags.given.contains("namespace")) {
    return Usage(
        "--namespace: expected --kubeconfig or --context with it, found "
        "neither");
  }
  for (const char* name : {"kubeconfig", "context", "namespace"}) {
    if (!flags.given.contains(name)) continue;
    options->server_flags.push_back(std::string("--") + name);
    options->server_flags.push_back(FlagValue(flags, name, ""));
  }
  return {};
}

// Where Debian's package has it.
std::string FindFaketime() {
  std::string path;
  glob_t found{};
  if (::glob("/usr/lib/*/faketime/libfaketime.so.1", 0, nullptr, &found) == 0 &&
      found.gl_pathc > 0) {
    path = found.gl_pathv[0];
  }
  ::globfree(&found);
  return path;
}

Result<DrillOptions> ReadOptions(const ParsedFlags& flags,
                                 const Environment& environment) {
  DrillOptions options;
  auto drills = ChosenDrills(flags);
  if (!drills) return std::unexpected(drills.error());
  options.drills = *std::move(drills);
  const auto count = ContenderCount(flags);
  if (!count) return std::unexpected(count.error());
  options.contenders = *count;
  auto preset = OneOf(flags, "preset", {"fast", "default", "patient"});
  if (!preset) return std::unexpected(preset.error());
  options.preset = *std::move(preset);
  if (const auto ok = ReadStore(flags, environment, &options); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = ReadServer(flags, &options); !ok) {
    return std::unexpected(ok.error());
  }
  options.fenced = !FlagIsOn(flags, "unfenced");
  const std::string scratch = Variable(environment, "TMPDIR");
  if (!scratch.empty()) options.scratch = scratch;
  options.faketime = FindFaketime();
  options.api = [](std::uint16_t port, const std::string& method,
                   const std::string& target,
                   const std::string& body) -> Result<ApiAnswer> {
    const auto got =
        LocalSend(LocalAddress{"", port, ""}, method, target, body, kApiLimit);
    if (!got) return std::unexpected(got.error());
    return ApiAnswer{got->status, got->body};
  };
  return options;
}

// Leaves what is there as it is, and nothing where nothing was.
bool CanWrite(const std::string& path) {
  std::error_code ignored;
  const bool existed =
      std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
  const bool can = std::ofstream(path, std::ios::app).good();
  if (can && !existed) std::filesystem::remove(path, ignored);
  return can;
}

bool WritePage(const std::string& path, const DrillResults& results) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << DrillPage(results);
  file.flush();
  return file.good();
}

}  // namespace

int RunDrill(const VerbCall& call) {
  const auto flags = TakeFlags(call, DrillFlags(), &DrillHelp, 0);
  if (!flags) return flags.error();
  Result<DrillOptions> options = ReadOptions(*flags, call.environment);
  const auto output = OneOf(*flags, "output", {"text", "json", "junit"});
  if (!options || !output) {
    PrintProblem((!options ? options.error() : output.error()).message);
    return kExitUsage;
  }
  const std::string page = FlagValue(*flags, "html", "");
  // Before a minute is spent on it.
  if (!page.empty() && !CanWrite(page)) {
    PrintProblem("--html: expected a file that can be written, found \"" +
                 page + "\"");
    return kExitUsage;
  }
  if (*output == "text") {
    options->narrate = [](const std::string& line) {
      std::printf("%s\n", line.c_str());
      FlushOutput();
    };
  }
  options->signals = TakeSignals();
  const DrillResults results = RunDrills(*options);
  if (results.interrupted != 0) {
    PrintProblem("the drill was interrupted, and has shown nothing");
    return kGateSignal + results.interrupted;
  }
  const std::string report = *output == "json"    ? DrillJson(results)
                             : *output == "junit" ? DrillJunit(results)
                                                  : DrillSummary(results);
  std::fputs(report.c_str(), stdout);
  if (!page.empty() && !WritePage(page, results)) {
    PrintProblem("--html: expected to write " + page + ", found that it fails");
    return kExitUsage;
  }
  if (!page.empty()) std::fprintf(stderr, "tenure: wrote %s\n", page.c_str());
  return ExitCodeOf(results);
}

VerbHelp DrillHelp() {
  return HelpText(
      "drill [FLAGS]",
      "Starts contenders for a lease, a guarded writer each, and a protected\n"
      "store; pauses the holder for longer than its lease, lets another\n"
      "acquire and write, and resumes the first, whose next step is the write\n"
      "that it had checked for. The drill passes only if the store refused\n"
      "that write by its generation, and only if it was really tried.\n"
      "\n"
      "Exits 0 if every drill passed; 1 if a stale write was accepted, or two\n"
      "held at once; 2 if a drill came to no verdict; 3 if all that ran\n"
      "passed and some were skipped; 64 for wrong usage.\n",
      DrillFlags(),
      "  tenure drill --html drill.html\n"
      "  tenure drill --unfenced\n"
      "  tenure drill --all --store redis://127.0.0.1:6379 \\\n"
      "    --store-path examples/fences/redis\n");
}

}  // namespace tenure
