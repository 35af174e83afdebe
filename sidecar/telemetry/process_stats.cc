#include "sidecar/telemetry/process_stats.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {
namespace {

constexpr std::size_t kMaxFields = 64;

// Numbers of proc(5)'s stat, counted from 1 as the manual does; the first two
// are taken off before.
enum StatField {
  kUtime = 14,
  kStime = 15,
  kThreads = 20,
  kStart = 22,
  kVirtual = 23,
  kResident = 24
};

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  std::string text(8192, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

double BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

double CountFds() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  double count = 0;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(directory);
  return count - 1;  // the one that reads the directory
}

}  // namespace

ProcessStats ParseProcessStat(std::string_view stat, double boot_time,
                              double ticks_per_second, double page_bytes) {
  // The command may hold spaces and parentheses; fields go on after its last.
  ProcessStats stats;
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return stats;
  std::vector<double> fields(3, 0);  // [0] unused, pid, command
  const std::string rest(stat.substr(end + 1));
  const char* at = rest.data();
  const char* const last = at + rest.size();
  while (at != last && fields.size() < kMaxFields) {
    at = std::find_if(at, last, [](char c) { return c != ' ' && c != '\n'; });
    double value = 0;
    std::from_chars(at, last, value);  // the state is a letter: stays 0
    at = std::find(at, last, ' ');
    fields.push_back(value);
  }
  fields.resize(kMaxFields);
  stats.cpu_seconds = (fields[kUtime] + fields[kStime]) / ticks_per_second;
  stats.threads = fields[kThreads];
  stats.virtual_bytes = fields[kVirtual];
  stats.resident_bytes = fields[kResident] * page_bytes;
  if (fields[kStart] != 0) {
    stats.start_time_seconds = boot_time + fields[kStart] / ticks_per_second;
  }
  return stats;
}

ProcessStats ReadProcessStats() {
  static const double kBootTime = BootTime();
  ProcessStats stats =
      ParseProcessStat(ReadFile("/proc/self/stat"), kBootTime,
                       static_cast<double>(sysconf(_SC_CLK_TCK)),
                       static_cast<double>(sysconf(_SC_PAGESIZE)));
  stats.open_fds = CountFds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    stats.max_fds = static_cast<double>(limit.rlim_cur);
  }
  return stats;
}

}  // namespace tenure
