#include "sidecar/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tenure {

void CheckFailed(const char* file, int line, const char* text) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, text);
  std::abort();
}

}  // namespace tenure
