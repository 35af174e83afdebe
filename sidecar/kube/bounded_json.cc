#include "sidecar/kube/bounded_json.h"

namespace tenure {

using nlohmann::json;

Result<json> ParseBoundedJson(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected at most " + std::to_string(kMaxJsonBytes) +
                    " bytes of JSON, found " + std::to_string(text.size()));
  }
  bool too_deep = false;
  // A subtree that is too deep is skipped, not stored; the parser itself does
  // not recurse.
  const auto watch_depth = [&too_deep](int depth, json::parse_event_t event,
                                       const json&) {
    const bool opens = event == json::parse_event_t::object_start ||
                       event == json::parse_event_t::array_start;
    if (!opens || depth < kMaxJsonDepth) return true;
    too_deep = true;
    return false;
  };
  try {
    json value = json::parse(text, watch_depth);
    if (too_deep) {
      return Fail(ErrorCode::kInvalidArgument,
                  "expected JSON nested at most " +
                      std::to_string(kMaxJsonDepth) + " deep, found deeper");
    }
    return value;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected JSON, found \"" + OneLine(text, 60) + "\" (" +
                    OneLine(error.what(), 120) + ")");
  }
}

const char* JsonTypeName(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "a boolean";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return "an integer";
    case json::value_t::number_float:
      return "a fraction";
    case json::value_t::binary:
    case json::value_t::discarded:
      break;
  }
  return "nothing";
}

std::string OneLine(std::string_view text, std::size_t limit) {
  std::string line(text.substr(0, limit));
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > limit) line += "...";
  return line;
}

}  // namespace tenure
