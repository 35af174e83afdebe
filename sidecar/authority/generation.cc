#include "sidecar/authority/generation.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tenure {
namespace {

bool IsDecimal(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

std::string_view WithoutLeadingZeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view()
                                         : digits.substr(first);
}

// A decimal without leading zeros, up to kMaxGeneration.
std::optional<std::int64_t> Number(std::string_view text) {
  if (!IsDecimal(text) || (text.front() == '0' && text.size() > 1)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const std::errc error =
      std::from_chars(text.data(), text.data() + text.size(), value).ec;
  if (error != std::errc() || value > kMaxGeneration) return std::nullopt;
  return value;
}

// What a message may quote of a text that anyone could have written.
std::string Excerpt(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 40)) {
    const bool printable = c >= ' ' && c <= '~' && c != '"';
    out.push_back(printable ? c : '?');
  }
  if (text.size() > 40) out += "...";
  return out;
}

}  // namespace

Result<std::int64_t> ParseGeneration(std::string_view text) {
  if (const auto value = Number(text); value && *value > 0) return *value;
  return Fail(ErrorCode::kInvalidArgument,
              "expected a generation, a decimal from 1 to 9007199254740991, "
              "found \"" +
                  Excerpt(text) + "\"");
}

Result<std::int64_t> ParseFloor(std::string_view text) {
  if (const auto value = Number(text); value && *value <= kMaxFloor) {
    return *value;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "expected a floor, a decimal from 0 to 9007199254740990, found "
              "\"" +
                  Excerpt(text) + "\"");
}

Result<std::int64_t> NextGeneration(const LeaseRecord& record,
                                    const Witnesses& witnesses) {
  std::int64_t highest = std::max(
      {witnesses.highest_seen, witnesses.min_generation, witnesses.floor});
  if (record.generation) {
    const Result<std::int64_t> annotated = ParseGeneration(*record.generation);
    if (annotated) {
      highest = std::max(highest, *annotated);
    } else if (witnesses.min_generation == 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  std::string("annotation ") + kGenerationAnnotation + ": " +
                      annotated.error().message +
                      "; set minGeneration at or above the highest token the "
                      "store has seen, or correct the annotation by hand");
    }
  }
  if (!IsDecimal(record.resource_version)) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected a decimal resourceVersion (Kubernetes 1.35 and "
                "later promise it), found \"" +
                    Excerpt(record.resource_version) +
                    "\"; this API server cannot back a generation");
  }
  const Result<std::int64_t> version =
      ParseGeneration(WithoutLeadingZeros(record.resource_version));
  if (!version) {
    return Fail(ErrorCode::kInvalidArgument,
                "resourceVersion is outside the range of a generation: " +
                    version.error().message +
                    "; this API server cannot back a generation");
  }
  highest = std::max(highest, *version);
  if (highest >= kMaxGeneration) {
    return Fail(ErrorCode::kInvalidArgument,
                "the next generation would be above 9007199254740991; lower "
                "the annotation or minGeneration, whichever is too high (a "
                "reported floor is forgotten when this process ends)");
  }
  return highest + 1;
}

std::int64_t HolderGeneration(const LeaseRecord& record) {
  if (!record.generation || !WrittenByHolder(record)) return 0;
  return ParseGeneration(*record.generation).value_or(0);
}

int CompareResourceVersions(std::string_view a, std::string_view b) {
  if (!IsDecimal(a) || !IsDecimal(b)) {
    return static_cast<int>(IsDecimal(a)) - static_cast<int>(IsDecimal(b));
  }
  a = WithoutLeadingZeros(a);
  b = WithoutLeadingZeros(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return order < 0 ? -1 : static_cast<int>(order > 0);
}

}  // namespace tenure
