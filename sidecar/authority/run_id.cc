#include "sidecar/authority/run_id.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes the longest run of digits, or of anything else, off the front.
std::string_view TakePiece(std::string_view* text, bool digits) {
  const auto end = std::ranges::find_if(
      *text, [digits](char c) { return IsDigit(c) != digits; });
  const std::string_view piece =
      text->substr(0, static_cast<std::size_t>(end - text->begin()));
  text->remove_prefix(piece.size());
  return piece;
}

// By value, however long.
std::strong_ordering CompareNumbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::vector<std::string> Split(std::string_view order) {
  std::vector<std::string> ids;
  while (!order.empty()) {
    const std::size_t blank = std::min(order.find(' '), order.size());
    ids.emplace_back(order.substr(0, blank));
    order.remove_prefix(std::min(blank + 1, order.size()));
  }
  return ids;
}

// All that a new one must be newer than, where they can be compared.
std::vector<std::string> Known(const LastRun& last) {
  std::vector<std::string> known = Split(last.order);
  if (!last.id.empty()) known.push_back(last.id);
  return known;
}

}  // namespace

WorkRun NewWorkRun(const std::string& id, const Entropy& entropy) {
  if (id.empty()) return {};
  return WorkRun{id,
                 std::to_string(entropy[0]) + "-" + std::to_string(entropy[1])};
}

Result<void> CheckRunId(std::string_view id) {
  const bool plain =
      std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
  if (!id.empty() && id.size() <= kMaxRunId && plain) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "expected a run id of 1 to 253 printable characters without "
              "spaces, found " +
                  (id.empty() ? std::string("none")
                   : plain    ? std::to_string(id.size()) + " characters"
                              : std::string("another character")));
}

std::optional<std::strong_ordering> CompareRunIds(std::string_view a,
                                                  std::string_view b) {
  std::strong_ordering order = std::strong_ordering::equal;
  bool numbers = false;
  while (!a.empty() || !b.empty()) {
    if (TakePiece(&a, false) != TakePiece(&b, false)) return std::nullopt;
    const std::string_view a_number = TakePiece(&a, true);
    const std::string_view b_number = TakePiece(&b, true);
    if (a_number.empty() != b_number.empty()) return std::nullopt;
    numbers = numbers || !a_number.empty();
    if (order == std::strong_ordering::equal) {
      order = CompareNumbers(a_number, b_number);
    }
  }
  if (!numbers) return std::nullopt;
  return order;
}

RunVerdict JudgeRun(std::string_view id, const LastRun& last) {
  if (id == last.id) return RunVerdict::kDone;
  for (const std::string& known : Known(last)) {
    if (id == known) return RunVerdict::kDone;
    const auto order = CompareRunIds(id, known);
    if (order && *order != std::strong_ordering::greater) {
      return RunVerdict::kNotNewer;
    }
  }
  return RunVerdict::kNew;
}

std::string NewestLike(std::string_view id, const LastRun& last) {
  for (const std::string& known : Known(last)) {
    if (CompareRunIds(id, known)) return known;
  }
  return "";
}

bool IsRunOrder(std::string_view text) {
  const std::vector<std::string> ids = Split(text);
  return ids.size() <= kMaxRunSeries &&
         std::ranges::all_of(ids, [](const std::string& id) {
           return CheckRunId(id).has_value();
         });
}

LastRun AfterRun(std::string_view id, const LastRun& last) {
  // One without a number is of no series.
  const bool ordered = CompareRunIds(id, id).has_value();
  std::vector<std::string> series;
  if (ordered) series.emplace_back(id);
  for (const std::string& known : Split(last.order)) {
    if (!CompareRunIds(id, known)) series.push_back(known);
  }
  if (series.size() > kMaxRunSeries) series.resize(kMaxRunSeries);
  LastRun next{std::string(id), ""};
  for (const std::string& known : series) {
    if (!next.order.empty()) next.order += ' ';
    next.order += known;
  }
  return next;
}

}  // namespace tenure
