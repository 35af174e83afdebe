// ProcessStats: what the kernel says of this process, for the process_*
// metrics.
//
// Thread safety: any thread.
#ifndef TENURE_TELEMETRY_PROCESS_STATS_H_
#define TENURE_TELEMETRY_PROCESS_STATS_H_

#include <string_view>

namespace tenure {

struct ProcessStats {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double start_time_seconds = 0;  // since the Unix epoch
  double threads = 0;
  double open_fds = 0;
  double max_fds = 0;
};

// Reads /proc; what cannot be read stays 0.
ProcessStats ReadProcessStats();

// From the text of /proc/self/stat and the boot time in /proc/stat's `btime`;
// fields that are missing stay 0.
ProcessStats ParseProcessStat(std::string_view stat, double boot_time,
                              double ticks_per_second, double page_bytes);

}  // namespace tenure

#endif  // TENURE_TELEMETRY_PROCESS_STATS_H_
