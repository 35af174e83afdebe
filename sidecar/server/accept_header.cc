#include "sidecar/server/accept_header.h"

#include <algorithm>
#include <cstddef>

namespace tenure {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool SameText(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Takes the part before `separator` off `rest`, trimmed.
std::string_view NextPart(std::string_view* rest, char separator) {
  const std::size_t at = rest->find(separator);
  const std::string_view part = rest->substr(0, at);
  *rest =
      at == std::string_view::npos ? std::string_view{} : rest->substr(at + 1);
  return Trim(part);
}

// "0.75" in thousandths. What is not a weight counts as refused.
int ParseWeight(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return 0;
  int weight = (text[0] - '0') * 1000;
  if (text.size() == 1) return weight;
  if (text[1] != '.') return 0;
  int unit = 100;
  for (const char c : text.substr(2)) {
    if (c < '0' || c > '9') return 0;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  return std::min(weight, 1000);
}

// The best weight given to `type` itself; -1 if it is not named.
int Weight(std::string_view accept, std::string_view type) {
  int best = -1;
  while (!accept.empty()) {
    std::string_view range = NextPart(&accept, ',');
    if (!SameText(NextPart(&range, ';'), type)) continue;
    int weight = 1000;
    while (!range.empty()) {
      const std::string_view parameter = NextPart(&range, ';');
      if (parameter.size() > 1 && Lower(parameter[0]) == 'q' &&
          parameter[1] == '=') {
        weight = ParseWeight(parameter.substr(2));
      }
    }
    best = std::max(best, weight);
  }
  return best;
}

bool Prefers(std::string_view accept, std::string_view type) {
  if (accept.empty()) return false;
  const int weight = Weight(accept, type);
  return weight > 0 && weight >= Weight(accept, "text/plain");
}

}  // namespace

bool PrefersJson(std::string_view accept) {
  return Prefers(accept, "application/json");
}

bool PrefersOpenMetrics(std::string_view accept) {
  return Prefers(accept, "application/openmetrics-text");
}

}  // namespace tenure
