#include "sidecar/telemetry/open_metrics.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace tenure {
namespace {

constexpr std::string_view kTotal = "_total";
constexpr std::string_view kHelp = "# HELP ";
constexpr std::string_view kType = "# TYPE ";
constexpr std::string_view kBound = "le=\"";

// The line at the front of `text`, newline included, taken off it.
std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size() - 1) + 1;
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end);
  return line;
}

// "# TYPE name_total counter" -> "name_total"; "" for every other line.
std::string_view CounterOf(std::string_view line) {
  if (!line.starts_with(kType)) return {};
  line.remove_prefix(kType.size());
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos ||
      !line.substr(space).starts_with(" counter")) {
    return {};
  }
  return line.substr(0, space);
}

// A HELP or TYPE line with its family renamed where that is a counter.
std::string RenamedComment(std::string_view line,
                           const std::set<std::string_view>& counters) {
  const std::string_view name =
      line.substr(kHelp.size(), line.find(' ', kHelp.size()) - kHelp.size());
  if (!counters.contains(name) || !name.ends_with(kTotal)) {
    return std::string(line);
  }
  std::string renamed(line);
  renamed.erase(kHelp.size() + name.size() - kTotal.size(), kTotal.size());
  return renamed;
}

// le="1" -> le="1.0".
std::string WithFloatBound(std::string_view line) {
  std::string text(line);
  std::size_t at = text.find(kBound);
  while (at != std::string::npos && text[at - 1] != '{' &&
         text[at - 1] != ',') {
    at = text.find(kBound, at + 1);
  }
  if (at == std::string::npos) return text;
  const std::size_t begin = at + kBound.size();
  const std::size_t end = text.find('"', begin);
  if (end == std::string::npos) return text;
  const bool whole =
      std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                  text.begin() + static_cast<std::ptrdiff_t>(end),
                  [](char c) { return c >= '0' && c <= '9'; });
  if (whole) text.insert(end, ".0");
  return text;
}

}  // namespace

std::string ToOpenMetrics(std::string_view text) {
  std::set<std::string_view> counters;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view counter = CounterOf(TakeLine(&rest));
    if (!counter.empty()) counters.insert(counter);
  }
  std::string result;
  result.reserve(text.size() + 16);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = TakeLine(&rest);
    const bool comment = line.starts_with(kHelp) || line.starts_with(kType);
    result += comment ? RenamedComment(line, counters) : WithFloatBound(line);
  }
  return result + "# EOF\n";
}

}  // namespace tenure
