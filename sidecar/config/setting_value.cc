// How the text of one setting becomes its value, and back.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/config/closest_name.h"
#include "sidecar/config/duration_text.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/setting_table.h"
#include "sidecar/config/settings.h"

namespace tenure {
namespace {

std::unexpected<Error> Expected(const std::string& what, std::string_view found,
                                const std::string& hint = "") {
  std::string shown;
  for (char c : found.substr(0, 80)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return Fail(ErrorCode::kInvalidArgument,
              "expected " + what + ", found \"" + shown + "\"" + hint);
}

std::vector<std::string> SplitAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// One overload for each alternative of SettingField.
class Reader {
 public:
  Reader(const SettingSpec& spec, const std::vector<std::string>& texts,
         Settings* settings)
      : spec_(spec), texts_(texts), settings_(settings) {}

  Result<void> operator()(std::string Settings::* field) const {
    const std::string& text = texts_.front();
    if (*spec_.choices != '\0') {
      const std::vector<std::string> choices = SplitAt(spec_.choices, '|');
      if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
        const std::string meant = ClosestName(text, choices);
        return Expected(OrList(spec_.choices), text,
                        meant.empty() ? "" : "; did you mean " + meant + "?");
      }
    }
    if (text.empty()) return Expected("a value", text);
    settings_->*field = text;
    return {};
  }

  Result<void> operator()(std::vector<std::string> Settings::* field) const {
    std::vector<std::string> members;
    for (const std::string& text : texts_) {
      for (std::string& part : SplitAt(text, ',')) {
        members.push_back(std::move(part));
        if (members.size() > kMaxSettingList) {
          return Expected(
              "at most " + std::to_string(kMaxSettingList) + " entries",
              "more");
        }
      }
    }
    settings_->*field = std::move(members);
    return {};
  }

  Result<void> operator()(bool Settings::* field) const {
    const std::string& text = texts_.front();
    const std::optional<bool> value = ReadSwitch(text);
    if (!value) return Expected("true or false", text);
    settings_->*field = *value;
    return {};
  }

  Result<void> operator()(std::int64_t Settings::* field) const {
    const std::string& text = texts_.front();
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || at != end || number < 0 ||
        number > spec_.most) {
      return Expected("a whole number from 0 to " + std::to_string(spec_.most),
                      text);
    }
    settings_->*field = number;
    return {};
  }

  Result<void> operator()(Duration Settings::* field) const {
    Result<Duration> value = ParseDuration(texts_.front());
    if (!value) return std::unexpected(value.error());
    settings_->*field = *value;
    return {};
  }

  Result<void> operator()(std::optional<Duration> Settings::* field) const {
    Result<Duration> value = ParseDuration(texts_.front());
    if (!value) return std::unexpected(value.error());
    settings_->*field = *value;
    return {};
  }

  Result<void> operator()(DriftAllowance Settings::* field) const {
    std::string_view text = texts_.front();
    const bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    double value = -1;
    const auto [at, error] =
        std::from_chars(text.data(), text.data() + text.size(), value,
                        std::chars_format::fixed);
    if (!percent || error != std::errc{} || at != text.data() + text.size() ||
        !(value >= 0 && value <= 20)) {
      return Expected("a percentage from 0% to 20%, such as 1%",
                      texts_.front());
    }
    (settings_->*field).ppm =
        static_cast<std::int32_t>(std::lround(value * 10'000));
    return {};
  }

  Result<void> operator()(FileMode Settings::* field) const {
    const std::string& text = texts_.front();
    unsigned bits = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, bits, 8);
    if (error != std::errc{} || at != end || bits > 0777) {
      return Expected("an octal file mode from 0 to 0777, such as 0660", text);
    }
    (settings_->*field).bits = bits;
    return {};
  }

 private:
  const SettingSpec& spec_;
  const std::vector<std::string>& texts_;
  Settings* const settings_;
};

std::string Printed(const char* format, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

class Printer {
 public:
  explicit Printer(const Settings& settings) : settings_(settings) {}

  using Texts = std::vector<std::string>;

  Texts operator()(std::string Settings::* field) const {
    const std::string& text = settings_.*field;
    return text.empty() ? Texts{} : Texts{text};
  }
  Texts operator()(std::vector<std::string> Settings::* field) const {
    return settings_.*field;
  }
  Texts operator()(bool Settings::* field) const {
    return {settings_.*field ? "true" : "false"};
  }
  Texts operator()(std::int64_t Settings::* field) const {
    return {std::to_string(settings_.*field)};
  }
  Texts operator()(Duration Settings::* field) const {
    return {FormatDuration(settings_.*field)};
  }
  Texts operator()(std::optional<Duration> Settings::* field) const {
    const std::optional<Duration>& value = settings_.*field;
    return value ? Texts{FormatDuration(*value)} : Texts{};
  }
  Texts operator()(DriftAllowance Settings::* field) const {
    return {Printed("%.6g%%", (settings_.*field).ppm / 10'000.0)};
  }
  Texts operator()(FileMode Settings::* field) const {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, "%04o", (settings_.*field).bits);
    return {buffer};
  }

 private:
  const Settings& settings_;
};

}  // namespace

Result<void> ApplySetting(const SettingSpec& spec,
                          const std::vector<std::string>& texts,
                          Settings* settings) {
  if (texts.empty()) return Expected("a value", "");
  if (!IsList(spec) && texts.size() > 1) {
    return Expected("one value", std::to_string(texts.size()) + " values");
  }
  for (const std::string& text : texts) {
    if (text.size() > kMaxSettingText) {
      return Expected(
          "at most " + std::to_string(kMaxSettingText) + " characters",
          std::to_string(text.size()));
    }
    if (std::any_of(text.begin(), text.end(),
                    [](char c) { return c >= 0 && c < 0x20; })) {
      return Expected("text without control characters", text);
    }
  }
  return std::visit(Reader(spec, texts, settings), spec.field);
}

std::vector<std::string> SettingTexts(const SettingSpec& spec,
                                      const Settings& settings) {
  return std::visit(Printer(settings), spec.field);
}

}  // namespace tenure
