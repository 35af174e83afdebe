#include "sidecar/config/settings_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/config/config_file.h"
#include "sidecar/config/flag_group.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/setting_table.h"
#include "sidecar/config/settings.h"
#include "sidecar/config/sidecar_plan.h"

namespace tenure {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kIndent = 6;

// `text` in lines of at most kColumns, each after kIndent spaces.
std::string Wrapped(std::string_view text) {
  std::string result;
  std::string line(kIndent, ' ');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() > kIndent && line.size() + 1 + word.size() > kColumns) {
      result += line + "\n";
      line.assign(kIndent, ' ');
    }
    if (line.size() > kIndent) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + line + "\n";
}

// What a setting is when nothing is given.
std::string DefaultText(const SettingSpec& spec) {
  if (*spec.fallback != '\0') return spec.fallback;
  const std::vector<std::string> texts = SettingTexts(spec, Settings{});
  return texts.empty() ? "not set" : texts.front();
}

std::string WithChoices(const SettingSpec& spec) {
  std::string help = spec.help;
  if (*spec.choices != '\0') {
    std::string choices = spec.choices;
    for (std::size_t at = choices.find('|'); at != std::string::npos;
         at = choices.find('|', at)) {
      choices.replace(at, 1, ", ");
    }
    help += " One of " + choices + ".";
  }
  return help;
}

FlagSpec AsFlag(const SettingSpec& spec) {
  return FlagSpec{spec.flag,         spec.short_flag,   spec.value,
                  WithChoices(spec), DefaultText(spec), spec.choices};
}

// Plain where YAML reads it back as the same text; quoted otherwise.
std::string YamlScalar(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '_' ||
           c == '-' || c == '%';
  });
  if (plain && !text.empty() && text.front() != '-' && text.front() != '%') {
    return text;
  }
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string FlagsHelp(const std::vector<FlagSpec>& flags) {
  std::string text;
  for (const FlagSpec& flag : flags) {
    text += "  ";
    if (flag.short_name != 0) {
      text += std::string("-") + flag.short_name + ", ";
    }
    text += flag.value.empty() ? "--[no-]" + flag.name
                               : "--" + flag.name + " " + flag.value;
    text += "\n";
    std::string help = flag.help;
    if (!flag.fallback.empty()) help += " Default: " + flag.fallback + ".";
    text += Wrapped(help);
  }
  return text;
}

std::vector<FlagGroup> SettingGroups() {
  std::vector<FlagGroup> groups;
  for (const SettingSpec& spec : SettingTable()) {
    if (groups.empty() || groups.back().heading != spec.group) {
      groups.push_back({spec.group, {}});
    }
    groups.back().flags.push_back(AsFlag(spec));
  }
  return groups;
}

std::string GroupsHelp(const std::vector<FlagGroup>& groups) {
  std::string text;
  for (const FlagGroup& group : groups) {
    text += (text.empty() ? "" : "\n") + group.heading + ":\n" +
            FlagsHelp(group.flags);
  }
  return text;
}

std::string EffectiveConfig(const SidecarPlan& plan) {
  std::string text = std::string("apiVersion: ") + kConfigApiVersion +
                     "\nkind: " + kConfigKind + "\n";
  std::string_view group;
  for (const SettingSpec& spec : SettingTable()) {
    if (group != spec.group) {
      text += "\n# " + std::string(spec.group) + "\n";
      group = spec.group;
    }
    const std::string key = FileKey(spec.flag);
    const std::vector<std::string> texts = SettingTexts(spec, plan.settings);
    const std::string comment = "  # " + plan.origins.at(spec.flag) + "\n";
    if (texts.empty()) {
      text += "# " + key + ": not set\n";
    } else if (IsList(spec)) {
      text.append(key).append(":").append(comment);
      for (const std::string& member : texts) {
        text.append("  - ").append(YamlScalar(member)).append("\n");
      }
    } else {
      text.append(key).append(": ");
      text.append(YamlScalar(texts.front())).append(comment);
    }
  }
  return text;
}

std::string ConfigurationReference() {
  std::string text =
      "# Configuration\n\n"
      "Every setting of `tenure run` is a flag, an environment variable and a\n"
      "key of the YAML file given by `--config`. A flag wins over the\n"
      "environment, the environment over the file, the file over the default.\n"
      "`tenure run --print-config` prints the effective configuration, with\n"
      "where each value came from.\n\n"
      "```yaml\n"
      "apiVersion: tenure.dev/v1alpha1\n"
      "kind: SidecarConfig\n"
      "lease: [billing]\n"
      "leaseDuration: 15s\n"
      "```\n\n"
      "Unknown keys are refused, and all errors are reported at once with\n"
      "file, line and column. Variables that begin with `TENURE_` and are no\n"
      "setting are warned of, but for those that Kubernetes sets for a\n"
      "Service. Durations are written as in Go: `15s`, `1m30s`,\n"
      "`500ms`, `0` for none. Switches are true or false, and nothing that "
      "only\n"
      "older YAML takes for these (yes, on); as flags they also take `--no-`\n"
      "before their name.\n"
      "\nThis page is written by the table of settings in\n"
      "`sidecar/config/setting_table.cc`; a test compares the two.\n";
  std::string_view group;
  for (const SettingSpec& spec : SettingTable()) {
    if (group != spec.group) {
      text += "\n## " + std::string(spec.group) + "\n";
      group = spec.group;
    }
    text += "\n### `--" + std::string(spec.flag) +
            (*spec.value != '\0' ? " " + std::string(spec.value) : "") +
            "`\n\n";
    text += WithChoices(spec) + "\n\n";
    text += "`" + EnvironmentVariable(spec.flag) + "`, `" + FileKey(spec.flag) +
            ":`. Default: " + DefaultText(spec) + ".";
    if (*spec.platform_variable != '\0') {
      text += " `" + std::string(spec.platform_variable) +
              "`, as the downward API sets it, comes before the default.";
    }
    text += "\n";
  }
  return text;
}

}  // namespace tenure
