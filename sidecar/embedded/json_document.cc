#include "sidecar/embedded/json_document.h"

#include <set>
#include <utility>

namespace tenure::embedded {
namespace {

using nlohmann::json;

// Follows the parser from key to key to know each key's path.
class KeyWatcher {
 public:
  explicit KeyWatcher(int max_depth) : max_depth_(max_depth) {}

  // False drops the value, so that nothing deeper than the limit is built.
  bool On(int depth, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start ||
        event == json::parse_event_t::array_start) {
      if (depth >= max_depth_) too_deep_ = true;
      levels_.emplace_back();
    } else if (event == json::parse_event_t::object_end ||
               event == json::parse_event_t::array_end) {
      if (!levels_.empty()) levels_.pop_back();
    } else if (event == json::parse_event_t::key && !levels_.empty()) {
      levels_.back().current = parsed.get<std::string>();
      if (!levels_.back().seen.insert(levels_.back().current).second) {
        duplicates_.push_back(Path());
      }
    }
    return !too_deep_;
  }

  bool too_deep() const { return too_deep_; }
  std::vector<std::string>& duplicates() { return duplicates_; }

 private:
  struct Level {
    std::set<std::string> seen;
    std::string current;
  };

  std::string Path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.current.empty()) continue;
      if (!path.empty()) path += '.';
      path += level.current;
    }
    return path;
  }

  int max_depth_;
  bool too_deep_ = false;
  std::vector<Level> levels_;
  std::vector<std::string> duplicates_;
};

}  // namespace

std::expected<JsonDocument, std::string> ParseJson(std::string_view text,
                                                   int max_depth) {
  if (text.empty()) return std::unexpected("unexpected end of JSON input");
  KeyWatcher watcher(max_depth);
  json root = json::parse(
      text,
      [&watcher](int depth, json::parse_event_t event, json& parsed) {
        return watcher.On(depth, event, parsed);
      },
      /*allow_exceptions=*/false);
  if (watcher.too_deep()) {
    return std::unexpected("more than " + std::to_string(max_depth) +
                           " levels of nesting");
  }
  if (root.is_discarded()) return std::unexpected("malformed JSON");
  return JsonDocument{std::move(root), std::move(watcher.duplicates())};
}

std::string DumpJson(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tenure::embedded
