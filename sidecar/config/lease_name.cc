#include "sidecar/config/lease_name.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

constexpr std::size_t kLongestSubdomain = 253;
constexpr std::size_t kLongestLabel = 63;

bool IsLowerAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// What a person can read of bytes that may be anything.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text.substr(0, 80)) {
    quoted += c >= 0x20 && c < 0x7f ? c : '?';
  }
  if (text.size() > 80) quoted += "...";
  return quoted + "\"";
}

// The first rule broken, in words; nullptr if none is.
const char* BrokenRule(std::string_view name, std::size_t longest,
                       bool dots_allowed) {
  if (name.empty()) return "it is empty";
  if (name.size() > longest) {
    return longest == kLongestLabel ? "it is longer than 63 characters"
                                    : "it is longer than 253 characters";
  }
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') return "it has upper-case letters";
    if (c == '.' && dots_allowed) continue;
    if (c != '-' && !IsLowerAlphanumeric(c)) {
      return dots_allowed ? "only a-z, 0-9, '-' and '.' are allowed"
                          : "only a-z, 0-9 and '-' are allowed";
    }
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '-' && (i == 0 || i + 1 == name.size() ||
                           name[i - 1] == '.' || name[i + 1] == '.')) {
      return "each part must begin and end with a letter or digit";
    }
    if (name[i] == '.' &&
        (i == 0 || i + 1 == name.size() || name[i - 1] == '.')) {
      return "each part between dots must begin and end with a letter or digit";
    }
  }
  return nullptr;
}

Result<void> CheckName(std::string_view name, const char* what,
                       std::size_t longest, bool dots_allowed) {
  const char* rule = BrokenRule(name, longest, dots_allowed);
  if (rule == nullptr) return {};
  std::string message = "expected a name Kubernetes allows for a " +
                        std::string(what) + ", found " + Quoted(name) + ": " +
                        rule;
  const std::string suggestion = SuggestName(name, longest, dots_allowed);
  if (!suggestion.empty()) message += "; use \"" + suggestion + "\"";
  return Fail(ErrorCode::kInvalidArgument, message);
}

}  // namespace

std::string SuggestName(std::string_view name, std::size_t longest,
                        bool dots_allowed) {
  std::string text;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '.' && dots_allowed) {
      while (!text.empty() && text.back() == '-') text.pop_back();
      if (!text.empty() && text.back() != '.') text += '.';
    } else if (IsLowerAlphanumeric(c)) {
      text += c;
    } else if (!text.empty() && text.back() != '-' && text.back() != '.') {
      text += '-';
    }
    if (text.size() == longest) break;
  }
  while (!text.empty() && !IsLowerAlphanumeric(text.back())) text.pop_back();
  return text;
}

Result<void> CheckLeaseName(std::string_view name) {
  return CheckName(name, "Lease", kLongestSubdomain, true);
}

Result<void> CheckNamespace(std::string_view name) {
  return CheckName(name, "namespace", kLongestLabel, false);
}

}  // namespace tenure
