// The fuzz targets: each feeds one input to one border of the program and
// checks what must hold of it. What does not hold ends the process.
//
// Thread safety: one thread; libFuzzer and the corpus test call them in turn.
#ifndef TENURE_TESTS_FUZZ_TARGETS_H_
#define TENURE_TESTS_FUZZ_TARGETS_H_

#include <array>
#include <string_view>

namespace tenure::fuzz {

void LeaseCodec(std::string_view bytes);
void MicroTime(std::string_view bytes);
void WatchStream(std::string_view bytes);
void KubeconfigFile(std::string_view bytes);
void ConfigFile(std::string_view bytes);
void DurationText(std::string_view bytes);
void LocalHttp(std::string_view bytes);
void Core(std::string_view bytes);

struct Target {
  std::string_view name;  // also of its folder in tests/fuzz/corpus
  void (*run)(std::string_view bytes);
};

inline constexpr std::array<Target, 8> kTargets = {{
    {"lease_codec", LeaseCodec},
    {"micro_time", MicroTime},
    {"watch_stream", WatchStream},
    {"kubeconfig", KubeconfigFile},
    {"config_file", ConfigFile},
    {"duration_text", DurationText},
    {"local_http", LocalHttp},
    {"core", Core},
}};

}  // namespace tenure::fuzz

#endif  // TENURE_TESTS_FUZZ_TARGETS_H_
