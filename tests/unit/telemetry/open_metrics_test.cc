#include "sidecar/telemetry/open_metrics.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

TEST(OpenMetrics, ACounterFamilyIsNamedWithoutItsSuffix) {
  EXPECT_EQ(ToOpenMetrics("# HELP a_total What a counts.\n"
                          "# TYPE a_total counter\n"
                          "a_total{lease=\"x\"} 3\n"),
            "# HELP a What a counts.\n"
            "# TYPE a counter\n"
            "a_total{lease=\"x\"} 3\n"
            "# EOF\n");
}

TEST(OpenMetrics, OtherFamiliesKeepTheirNames) {
  const std::string text =
      "# HELP b_total Not a counter.\n# TYPE b_total gauge\nb_total 1\n";
  EXPECT_EQ(ToOpenMetrics(text), text + "# EOF\n");
}

TEST(OpenMetrics, BucketBoundsAreFloats) {
  EXPECT_EQ(ToOpenMetrics("h_bucket{lease=\"1\",le=\"10\"} 1\n"
                          "h_bucket{le=\"0.5\"} 1\n"
                          "h_bucket{lease=\"5\",le=\"+Inf\"} 1\n"),
            "h_bucket{lease=\"1\",le=\"10.0\"} 1\n"
            "h_bucket{le=\"0.5\"} 1\n"
            "h_bucket{lease=\"5\",le=\"+Inf\"} 1\n"
            "# EOF\n");
}

TEST(OpenMetrics, AnEmptyTextStillEnds) {
  EXPECT_EQ(ToOpenMetrics(""), "# EOF\n");
  EXPECT_EQ(ToOpenMetrics("a 1"), "a 1# EOF\n");
}

}  // namespace
}  // namespace tenure
