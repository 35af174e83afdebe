#include "sidecar/embedded/name_rules.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tenure::embedded {
namespace {

constexpr std::size_t kMaxSubdomain = 253;
constexpr std::size_t kMaxLabel = 63;

constexpr char kSubdomainRule[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr char kLabelRule[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric "
    "characters or '-', and must start and end with an alphanumeric character "
    "(e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr char kNamePartRule[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
    "'123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kLabelValueRule[] =
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLowerWord(char c) { return IsLower(c) || IsDigit(c); }
bool IsWord(char c) { return IsLowerWord(c) || IsUpper(c); }

bool IsDnsLabel(std::string_view label) {
  return !label.empty() && IsLowerWord(label.front()) &&
         IsLowerWord(label.back()) && std::ranges::all_of(label, [](char c) {
           return IsLowerWord(c) || c == '-';
         });
}

bool IsQualifiedWord(std::string_view word) {
  return !word.empty() && IsWord(word.front()) && IsWord(word.back()) &&
         std::ranges::all_of(word, [](char c) {
           return IsWord(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string AtMost(std::size_t limit, const char* unit) {
  return "must be no more than " + std::to_string(limit) + " " + unit;
}

}  // namespace

Complaints CheckSubdomain(std::string_view name) {
  Complaints out;
  if (name.size() > kMaxSubdomain) {
    out.push_back(AtMost(kMaxSubdomain, "characters"));
  }
  for (std::string_view rest = name;;) {
    const std::size_t dot = rest.find('.');
    if (!IsDnsLabel(rest.substr(0, dot))) {
      out.emplace_back(kSubdomainRule);
      return out;
    }
    if (dot == std::string_view::npos) return out;
    rest.remove_prefix(dot + 1);
  }
}

Complaints CheckNamespaceName(std::string_view name) {
  Complaints out;
  if (name.size() > kMaxLabel) out.push_back(AtMost(kMaxLabel, "bytes"));
  if (!IsDnsLabel(name)) out.emplace_back(kLabelRule);
  return out;
}

Complaints CheckLabelKey(std::string_view key) {
  Complaints out;
  const std::size_t slash = key.find('/');
  std::string_view word = key;
  if (slash != std::string_view::npos) {
    word = key.substr(slash + 1);
    if (word.find('/') != std::string_view::npos) {
      return {std::string("a valid label key ") + kNamePartRule +
              " with an optional DNS subdomain prefix and '/' (e.g. "
              "'example.com/MyName')"};
    }
    const std::string_view prefix = key.substr(0, slash);
    if (prefix.empty()) {
      out.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& why : CheckSubdomain(prefix)) {
        out.push_back("prefix part " + why);
      }
    }
  }
  if (word.empty()) {
    out.emplace_back("name part must be non-empty");
  } else if (word.size() > kMaxLabel) {
    out.push_back("name part " + AtMost(kMaxLabel, "bytes"));
  }
  if (!IsQualifiedWord(word)) {
    out.push_back(std::string("name part ") + kNamePartRule);
  }
  return out;
}

Complaints CheckLabelValue(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxLabel) out.push_back(AtMost(kMaxLabel, "bytes"));
  if (!value.empty() && !IsQualifiedWord(value)) {
    out.emplace_back(kLabelValueRule);
  }
  return out;
}

}  // namespace tenure::embedded
