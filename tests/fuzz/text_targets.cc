// What people write: durations, the configuration file, kubeconfigs.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "sidecar/config/config_file.h"
#include "sidecar/config/duration_text.h"
#include "sidecar/config/setting_table.h"
#include "sidecar/kube/kubeconfig.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/targets.h"

namespace tenure::fuzz {

void DurationText(std::string_view bytes) {
  const Result<Duration> value = ParseDuration(bytes);
  if (!value) {
    ExpectOneLine(value.error().message);
    return;
  }
  Expect(*value >= Duration{0} && *value <= std::chrono::hours(366 * 24),
         "from nothing to a year", bytes);
  const std::string text = FormatDuration(*value);
  Expect(ParseDuration(text) == *value, "formatting loses nothing", text);
}

void ConfigFile(std::string_view bytes) {
  Problems problems;
  const GivenValues given = ParseConfigFile("t.yaml", bytes, &problems);
  for (const std::string& problem : problems) {
    ExpectOneLine(problem);
    Expect(problem.starts_with("t.yaml"), "a problem names its file", problem);
  }
  Settings settings;
  std::size_t known = 0;
  for (const SettingSpec& spec : SettingTable()) {
    const auto found = given.find(spec.flag);
    if (found == given.end()) continue;
    ++known;
    ExpectOneLine(found->second.origin);
    const Result<void> applied =
        ApplySetting(spec, found->second.texts, &settings);
    if (!applied) {
      ExpectOneLine(applied.error().message);
      continue;
    }
    const std::vector<std::string> texts = SettingTexts(spec, settings);
    Expect(texts.size() <= kMaxSettingList, "a list is bounded");
    for (const std::string& text : texts) {
      Expect(text.size() <= kMaxSettingText, "a text is bounded");
    }
    Settings again;
    Expect(texts.empty() || ApplySetting(spec, texts, &again).has_value(),
           "what was applied can be applied again", spec.flag);
    Expect(texts.empty() || SettingTexts(spec, again) == texts,
           "and gives the same", spec.flag);
  }
  Expect(known == given.size(), "only known keys are given");
}

namespace {

// A file in memory that is written anew for each input.
class MemoryFile {
 public:
  MemoryFile()
      : fd_(::memfd_create("kubeconfig", MFD_CLOEXEC)),
        path_("/proc/self/fd/" + std::to_string(fd_)) {
    Expect(fd_ >= 0, "a file in memory");
  }
  void Write(std::string_view bytes) const {
    Expect(::ftruncate(fd_, 0) == 0, "an empty file");
    Expect(::pwrite(fd_, bytes.data(), bytes.size(), 0) ==
               static_cast<ssize_t>(bytes.size()),
           "a written file");
  }
  const std::string& path() const { return path_; }

 private:
  const int fd_;
  const std::string path_;
};

}  // namespace

void KubeconfigFile(std::string_view bytes) {
  static const MemoryFile* const file = new MemoryFile();  // never closed
  file->Write(bytes);
  const Result<Kubeconfig> once = ReadKubeconfig({file->path()});
  if (!once) {
    ExpectOneLine(once.error().message);
    Expect(once.error().message.find("hunter2") == std::string::npos,
           "a secret is in no message", once.error().message);
    return;
  }
  const Result<Kubeconfig> twice = ReadKubeconfig({file->path(), file->path()});
  Expect(twice.has_value(), "a file that is named twice is read twice");
  Expect(once->current_context == twice->current_context &&
             once->clusters.size() == twice->clusters.size() &&
             once->users.size() == twice->users.size() &&
             once->contexts.size() == twice->contexts.size(),
         "and its second reading adds nothing");
  for (const auto& [name, user] : once->users) {
    ExpectOneLine(user.where);
    if (!user.exec) continue;
    Expect(user.exec->args.size() <= bytes.size(), "arguments are bounded");
    Expect(twice->users.at(name).exec == user.exec, "the first one counts");
  }
  for (const auto& [name, cluster] : once->clusters) {
    ExpectOneLine(cluster.where);
    Expect(twice->clusters.at(name).server == cluster.server,
           "the first one counts");
  }
  for (const auto& [name, context] : once->contexts) {
    ExpectOneLine(context.where);
  }
}

}  // namespace tenure::fuzz
