#include "sidecar/embedded/json_document.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenure::embedded {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDuplicates = 100;  // more are not reported

// Builds the document event by event. The library's own parser with a callback
// would do, but takes quadratic time over long lists.
class DocumentBuilder : public nlohmann::json_sax<json> {
 public:
  explicit DocumentBuilder(int max_depth)
      : max_depth_(static_cast<std::size_t>(max_depth)) {}

  bool null() override { return Add(json()); }
  bool boolean(bool value) override { return Add(json(value)); }
  bool number_integer(std::int64_t value) override { return Add(json(value)); }
  bool number_unsigned(std::uint64_t value) override {
    return Add(json(value));
  }
  bool number_float(double value, const std::string&) override {
    return Add(json(value));
  }
  bool string(std::string& value) override {
    return Add(json(std::move(value)));
  }
  bool binary(json::binary_t&) override { return false; }  // not in JSON text

  bool start_object(std::size_t) override { return Open(json::object()); }
  bool start_array(std::size_t) override { return Open(json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(std::string& value) override {
    Level& level = levels_.back();
    level.key = value;
    if (level.node->contains(value) && duplicates_.size() < kMaxDuplicates) {
      duplicates_.push_back(Path());
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception&) override {
    return false;
  }

  bool too_deep() const { return too_deep_; }
  JsonDocument Take() {
    return JsonDocument{std::move(root_), std::move(duplicates_)};
  }

 private:
  struct Level {
    json* node;
    std::string key;  // of an object: the one whose value comes next
  };

  json* Place(json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.node->is_array()) {
      level.node->push_back(std::move(value));
      return &level.node->back();
    }
    json& slot = (*level.node)[level.key];
    slot = std::move(value);
    return &slot;
  }

  bool Add(json value) {
    Place(std::move(value));
    return true;
  }

  // A node does not move while it is open: its parent grows only after it.
  bool Open(json value) {
    too_deep_ = levels_.size() >= max_depth_;
    if (too_deep_) return false;
    levels_.push_back({Place(std::move(value)), ""});
    return true;
  }

  bool Close() {
    levels_.pop_back();
    return true;
  }

  std::string Path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.key.empty()) continue;
      if (!path.empty()) path += '.';
      path += level.key;
    }
    return path;
  }

  std::size_t max_depth_;
  bool too_deep_ = false;
  json root_;
  std::vector<Level> levels_;
  std::vector<std::string> duplicates_;
};

}  // namespace

std::expected<JsonDocument, std::string> ParseJson(std::string_view text,
                                                   int max_depth) {
  if (text.empty()) return std::unexpected("unexpected end of JSON input");
  DocumentBuilder builder(max_depth);
  if (json::sax_parse(text, &builder)) return builder.Take();
  if (builder.too_deep()) {
    return std::unexpected("more than " + std::to_string(max_depth) +
                           " levels of nesting");
  }
  return std::unexpected("malformed JSON");
}

std::string DumpJson(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tenure::embedded
