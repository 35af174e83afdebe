// A folder of files for one test, removed at its end.
#ifndef TENURE_TESTS_UNIT_KUBE_SCRATCH_FOLDER_H_
#define TENURE_TESTS_UNIT_KUBE_SCRATCH_FOLDER_H_

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "sidecar/base/check.h"

namespace tenure {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tenure-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string Path(const std::string& name) const { return path_ / name; }

  // Replaced as a whole, as Kubernetes does. Returns the path.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = Path(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
    return path;
  }

 private:
  std::filesystem::path path_;
};

// Whether `holds` comes true within a generous while.
template <typename Predicate>
bool Eventually(const Predicate& holds) {
  for (int i = 0; i < 30'000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return false;
}

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_KUBE_SCRATCH_FOLDER_H_
