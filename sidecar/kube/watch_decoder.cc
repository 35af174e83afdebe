#include "sidecar/kube/watch_decoder.h"

#include <optional>
#include <utility>

#include "sidecar/kube/bounded_json.h"
#include "sidecar/kube/lease_codec.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxExcerpt = 80;

// The two members of the envelope, as text.
struct Envelope {
  std::string_view type;
  std::string_view object;
};

// Walks one JSON object's members without parsing their values. It trusts
// nothing: whatever is not `{"key": value, ...}` ends the walk.
class MemberScanner {
 public:
  explicit MemberScanner(std::string_view text) : text_(text) {}

  std::optional<Envelope> Scan() {
    Envelope envelope;
    if (!Take('{')) return std::nullopt;
    if (Take('}')) return envelope;
    do {
      const std::optional<std::string_view> key = String();
      if (!key.has_value() || !Take(':')) return std::nullopt;
      const std::optional<std::string_view> value = Value();
      if (!value.has_value()) return std::nullopt;
      if (*key == "\"type\"") envelope.type = *value;
      if (*key == "\"object\"") envelope.object = *value;
    } while (Take(','));
    if (!Take('}')) return std::nullopt;
    SkipSpace();
    if (at_ != text_.size()) return std::nullopt;
    return envelope;
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool Take(char wanted) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // A string with its quotes.
  std::optional<std::string_view> String() {
    SkipSpace();
    const std::size_t start = at_;
    if (!Take('"')) return std::nullopt;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return text_.substr(start, at_ - start);
      if (c == '\\') ++at_;
    }
    return std::nullopt;
  }

  // Any value: its extent only. Brackets are counted, not matched; whoever
  // parses the value finds out the rest.
  std::optional<std::string_view> Value() {
    SkipSpace();
    const std::size_t start = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!String().has_value()) return std::nullopt;
        if (depth == 0) break;
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) break;
    }
    if (depth != 0 || at_ == start || at_ > text_.size()) return std::nullopt;
    return text_.substr(start, at_ - start);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Whether a metav1.Status says that the history asked for is gone.
bool IsGone(std::string_view object) {
  const Result<nlohmann::json> status = ParseBoundedJson(object);
  if (!status.has_value() || !status->is_object()) return false;
  const auto code = status->find("code");
  return code != status->end() && *code == 410;
}

}  // namespace

std::vector<WatchEvent> WatchDecoder::Feed(std::string_view bytes) {
  std::vector<WatchEvent> events;
  while (!bytes.empty() && !dead_) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    if (piece.size() > max_line_ - partial_.size()) {
      Die(WatchEvent::Kind::kClosed,
          "the API server sent a watch event above the limit of " +
              std::to_string(max_line_) + " bytes; shrink the Lease",
          &events);
      break;
    }
    if (newline == std::string_view::npos) {
      partial_ += piece;
      break;
    }
    bytes.remove_prefix(newline + 1);
    if (partial_.empty()) {
      Line(piece, &events);
    } else {
      const std::string line = std::exchange(partial_, "").append(piece);
      Line(line, &events);
    }
  }
  return events;
}

void WatchDecoder::Line(std::string_view line,
                        std::vector<WatchEvent>* events) {
  if (line.empty() || line == "\r") return;
  const std::optional<Envelope> envelope = MemberScanner(line).Scan();
  if (!envelope.has_value() || envelope->type.empty() ||
      envelope->object.empty()) {
    Die(WatchEvent::Kind::kClosed,
        "expected a watch event from the API server, found: " +
            OneLine(line, kMaxExcerpt),
        events);
    return;
  }
  WatchEvent event;
  if (envelope->type == "\"ADDED\"" || envelope->type == "\"MODIFIED\"") {
    event.kind = WatchEvent::Kind::kChanged;
    event.record = DecodeLease(envelope->object);
  } else if (envelope->type == "\"DELETED\"") {
    event.kind = WatchEvent::Kind::kDeleted;
    event.record = DecodeLease(envelope->object);
  } else if (envelope->type == "\"BOOKMARK\"") {
    // An empty object but for the resource version.
    event.kind = WatchEvent::Kind::kBookmark;
    event.record.resource_version =
        DecodeLease(envelope->object).resource_version;
  } else if (envelope->type == "\"ERROR\"") {
    Die(IsGone(envelope->object) ? WatchEvent::Kind::kExpired
                                 : WatchEvent::Kind::kClosed,
        "the API server ended the watch: " + StatusMessage(envelope->object),
        events);
    return;
  } else {
    Die(WatchEvent::Kind::kClosed,
        "expected a known watch event type, found: " +
            OneLine(envelope->type, kMaxExcerpt),
        events);
    return;
  }
  events->push_back(std::move(event));
}

void WatchDecoder::Die(WatchEvent::Kind kind, std::string message,
                       std::vector<WatchEvent>* events) {
  dead_ = true;
  std::string().swap(partial_);
  WatchEvent event;
  event.kind = kind;
  event.message = std::move(message);
  events->push_back(std::move(event));
}

}  // namespace tenure
