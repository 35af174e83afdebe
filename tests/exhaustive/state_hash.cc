#include "tests/exhaustive/state_hash.h"

#include <algorithm>
#include <charconv>

namespace tenure::exhaustive {

void NumberScale::Finish(std::int64_t revision) {
  constexpr std::int64_t kFar = 3;
  revision_ = revision;
  numbers_.push_back(revision);
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  scaled_.resize(numbers_.size());
  std::size_t at = numbers_.size();
  std::int64_t scaled = 0;
  while (at > 0) {
    --at;
    if (numbers_[at] >= revision) {
      scaled_[at] = numbers_[at] - revision;
    } else {
      scaled -= std::min(numbers_[at + 1] - numbers_[at], kFar);
      scaled_[at] = scaled;
    }
  }
}

std::int64_t NumberScale::Of(std::int64_t number) const {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  return scaled_[static_cast<std::size_t>(found - numbers_.begin())];
}

void StateHash::AddNumber(std::int64_t number) {
  if (numbers_ != nullptr) {
    if (number != 0) numbers_->Add(number);
    return;
  }
  if (number == 0) {
    Add(INT64_MIN);
  } else {
    Add(scale_ == nullptr ? number : scale_->Of(number));
  }
}

void StateHash::AddText(std::string_view text) {
  Add(static_cast<std::int64_t>(text.size()));
  for (const char c : text) Add(c);
}

void StateHash::AddDecimal(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number > 0) {
    AddNumber(number);
  } else {
    AddText(text);
  }
}

}  // namespace tenure::exhaustive
