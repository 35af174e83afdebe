// The OpenMetrics 1.0.0 flavour of Prometheus text.
//
// Thread safety: pure function.
#ifndef TENURE_TELEMETRY_OPEN_METRICS_H_
#define TENURE_TELEMETRY_OPEN_METRICS_H_

#include <string>
#include <string_view>

namespace tenure {

// `text` is what prometheus-cpp serializes (0.0.4). The differences: a
// counter's family is named without "_total", bucket bounds are floats, and
// the text ends in "# EOF".
std::string ToOpenMetrics(std::string_view text);

}  // namespace tenure

#endif  // TENURE_TELEMETRY_OPEN_METRICS_H_
