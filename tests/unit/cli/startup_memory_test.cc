#include "sidecar/cli/startup_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tenure {
namespace {

// Pages of files that this process has mapped, of all that it has touched.
long ResidentFilePages() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  long shared = 0;
  statm >> size >> resident >> shared;
  return shared;
}

TEST(StartupMemory, LeavesOnlyWhatIsUsedAndNothingIsLost) {
  static const std::string kept(100'000, 'k');
  const long before = ResidentFilePages();
  ASSERT_GT(before, 0);
  ReleaseStartupMemory();
  EXPECT_LT(ResidentFilePages(), before);
  EXPECT_EQ(kept, std::string(100'000, 'k'));
}

}  // namespace
}  // namespace tenure
