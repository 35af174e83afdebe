// The one table of settings: flags, environment variables, file keys, help,
// --print-config and the reference page all come from it.
//
// Thread safety: immutable.
#ifndef TENURE_CONFIG_SETTING_TABLE_H_
#define TENURE_CONFIG_SETTING_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/settings.h"

namespace tenure {

// Where a setting lives; the alternative decides how its text is read.
using SettingField =
    std::variant<std::string Settings::*, std::vector<std::string> Settings::*,
                 bool Settings::*, std::int64_t Settings::*,
                 Duration Settings::*, std::optional<Duration> Settings::*,
                 DriftAllowance Settings::*, FileMode Settings::*>;

struct SettingSpec {
  const char* group;  // heading in help
  const char* flag;   // "lease-duration"
  char short_flag;    // 0: none
  SettingField field;
  const char* value;         // what help calls the value: "DURATION"
  const char* fallback;      // help's words for an empty default
  const char* help;          // one or two sentences
  std::int64_t most = 0;     // largest whole number allowed
  const char* choices = "";  // "wait|take"; "" for free text
  // What the platform sets by itself (POD_NAME): above the default only.
  const char* platform_variable = "";
};

std::span<const SettingSpec> SettingTable();

// "lease-duration" -> "TENURE_LEASE_DURATION", "leaseDuration".
std::string EnvironmentVariable(std::string_view flag);
std::string FileKey(std::string_view flag);

bool IsSwitch(const SettingSpec& spec);
bool IsList(const SettingSpec& spec);

// Reads `texts` (one, or any number for a list) into `settings`. Errors:
// kInvalidArgument with what was expected and what was found; `settings` is
// then as before.
Result<void> ApplySetting(const SettingSpec& spec,
                          const std::vector<std::string>& texts,
                          Settings* settings);

// The value as ApplySetting reads it; empty: not set.
std::vector<std::string> SettingTexts(const SettingSpec& spec,
                                      const Settings& settings);

// Limit of what ApplySetting takes, on every text and list.
inline constexpr std::size_t kMaxSettingText = 4096;
inline constexpr std::size_t kMaxSettingList = 64;

}  // namespace tenure

#endif  // TENURE_CONFIG_SETTING_TABLE_H_
