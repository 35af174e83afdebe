#include "sidecar/telemetry/log_lines.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "sidecar/base/instant.h"
#include "sidecar/telemetry/telemetry.h"

#define SPDLOG_LEVEL_NAMES \
  {"trace", "debug", "info", "warn", "error", "fatal", "off"}
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

namespace tenure {
namespace {

constexpr char kJsonPattern[] =
    R"({"ts":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})";
constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%fZ %l %v";
constexpr char kColorPattern[] = "\x1b[2m%Y-%m-%dT%H:%M:%S.%fZ\x1b[0m %l %v";

class WriteSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit WriteSink(LogLines::Write write) : write_(std::move(write)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t buffer;
    formatter_->format(message, buffer);
    write_(std::string_view(buffer.data(), buffer.size()));
  }
  void flush_() override {}

 private:
  const LogLines::Write write_;
};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

const char* LevelColor(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "\x1b[2m";
    case LogLevel::kInfo:
      return "\x1b[32m";
    case LogLevel::kWarn:
      return "\x1b[33m";
    case LogLevel::kError:
      return "\x1b[31m";
  }
  return "";
}

// A JSON string, quotes included: escapes control bytes and replaces what is
// not UTF-8.
std::string JsonString(std::string_view text) {
  return nlohmann::json(std::string(text.substr(0, kMaxLogValue)))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool IsNumber(std::string_view key, std::string_view value) {
  const std::string_view digits =
      value.starts_with('-') ? value.substr(1) : value;
  return key.ends_with("Ms") && !digits.empty() && digits.size() <= 18 &&
         std::all_of(digits.begin(), digits.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string JsonPayload(const char* message, const LogFields& fields) {
  std::string payload = "\"msg\":" + JsonString(message);
  for (const auto& [key, value] : fields) {
    if (value.empty()) continue;
    payload += "," + JsonString(key) + ":";
    payload += IsNumber(key, value) ? value : JsonString(value);
  }
  return payload;
}

// Bare where it can be read back by splitting at spaces; else as in JSON.
std::string TextValue(std::string_view value) {
  const bool bare = std::all_of(value.begin(), value.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '=';
  });
  return bare && value.size() <= kMaxLogValue ? std::string(value)
                                              : JsonString(value);
}

std::string TextPayload(LogLevel level, bool color, const char* message,
                        const LogFields& fields) {
  std::string payload;
  if (color) payload += LevelColor(level);
  payload += message;
  if (color) payload += "\x1b[0m";
  for (const auto& [key, value] : fields) {
    if (value.empty()) continue;
    payload += std::string(" ") + key + "=" + TextValue(value);
  }
  return payload;
}

}  // namespace

class LogLines::State {
 public:
  State(LogFormat format, LogLevel level, bool color, Write write)
      : format_(format),
        color_(color),
        logger_("tenure", std::make_shared<WriteSink>(std::move(write))) {
    const char* text = color ? kColorPattern : kTextPattern;
    logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        format == LogFormat::kJson ? kJsonPattern : text,
        spdlog::pattern_time_type::utc, "\n"));
    logger_.set_level(SpdlogLevel(level));
    // The library's own would print to stderr, and could block there.
    logger_.set_error_handler([](const std::string&) {});
  }

  bool Enabled(LogLevel level) const {
    return logger_.should_log(SpdlogLevel(level));
  }

  void Log(LogLevel level, WallTime when, const char* message,
           const LogFields& fields) {
    if (!Enabled(level)) return;
    const std::string payload =
        format_ == LogFormat::kJson
            ? JsonPayload(message, fields)
            : TextPayload(level, color_, message, fields);
    logger_.log(spdlog::log_clock::time_point(
                    std::chrono::duration_cast<spdlog::log_clock::duration>(
                        when.since_epoch)),
                spdlog::source_loc{}, SpdlogLevel(level), payload);
  }

 private:
  const LogFormat format_;
  const bool color_;
  spdlog::logger logger_;
};

LogLines::LogLines(LogFormat format, LogLevel level, bool color, Write write)
    : state_(std::make_unique<State>(format, level, color, std::move(write))) {}

LogLines::~LogLines() = default;

bool LogLines::Enabled(LogLevel level) const { return state_->Enabled(level); }

void LogLines::Log(LogLevel level, WallTime when, const char* message,
                   const LogFields& fields) {
  state_->Log(level, when, message, fields);
}

}  // namespace tenure
