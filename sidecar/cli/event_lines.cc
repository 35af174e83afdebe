#include "sidecar/cli/event_lines.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tenure {
namespace {

// The lines of `event` that begin with "data:", joined by line ends.
std::string Data(std::string_view event) {
  constexpr std::string_view kField = "data:";
  std::string data;
  while (!event.empty()) {
    const std::size_t end = event.find('\n');
    std::string_view line = event.substr(0, end);
    event.remove_prefix(end == std::string_view::npos ? event.size() : end + 1);
    if (!line.starts_with(kField)) continue;
    line.remove_prefix(kField.size());
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (!data.empty()) data += '\n';
    data += line;
  }
  return data;
}

}  // namespace

bool EventLines::Add(std::string_view bytes) {
  if (unread_.size() + bytes.size() > kMaxEvent) return false;
  unread_ += bytes;
  return true;
}

std::optional<std::string> EventLines::Next() {
  constexpr std::string_view kEnd = "\n\n";
  for (std::size_t end = unread_.find(kEnd); end != std::string::npos;
       end = unread_.find(kEnd)) {
    std::string data = Data(std::string_view(unread_).substr(0, end));
    unread_.erase(0, end + kEnd.size());
    if (!data.empty()) return data;
  }
  return std::nullopt;
}

}  // namespace tenure
