#include "sidecar/gate/generation_variable.h"

#include <string>
#include <string_view>

namespace tenure {

std::string GenerationVariable(std::string_view lease) {
  std::string name = "TENURE_GENERATION_";
  for (const char c : lease) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    name += letter ? static_cast<char>(c - 'a' + 'A') : digit ? c : '_';
  }
  return name;
}

}  // namespace tenure
