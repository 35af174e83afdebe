#include "sidecar/cli/live_view.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "sidecar/base/instant.h"
#include "sidecar/cli/status_figures.h"
#include "sidecar/planning/time_text.h"

namespace tenure {
namespace {

constexpr char kGreen[] = "\033[32m";
constexpr char kYellow[] = "\033[33m";
constexpr char kDim[] = "\033[2m";
constexpr char kReset[] = "\033[0m";
constexpr std::size_t kBarCells = 40;
constexpr std::size_t kName = 14;   // columns before the text
constexpr std::size_t kIndent = 2;  // and where there is no room for names
constexpr std::size_t kRoomForNames = 40;

Duration AtLeastNothing(Duration value) { return std::max(value, Duration{0}); }

// Tenths are enough to watch; milliseconds for what is that short.
std::string Rough(Duration value) {
  constexpr Duration kTenth = std::chrono::milliseconds(100);
  return TimeText(value < std::chrono::seconds(1) ? value
                                                  : value / kTenth * kTenth);
}

// "1.2 ms": round trips are mostly that short.
std::string Fine(Duration value) {
  if (value >= std::chrono::milliseconds(100)) return Rough(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms",
                std::chrono::duration<double, std::milli>(value).count());
  return text;
}

std::string Label(const char* name) {
  std::string label = std::string("  ") + name;
  label.resize(kName, ' ');
  return label;
}

std::string Repeated(const char* cell, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += cell;
  return text;
}

std::size_t Cells(Duration part, Duration whole) {
  if (whole <= Duration{0}) return 0;
  const Duration bounded = std::clamp(part, Duration{0}, whole);
  return static_cast<std::size_t>(
      bounded.count() / 1000 * kBarCells /
      std::max<std::int64_t>(whole.count() / 1000, 1));
}

// How much of `text` goes into a line: whole words, if there is a space.
std::size_t PartLength(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  const std::size_t space = text.rfind(' ', room);
  return space == std::string_view::npos || space == 0 ? room : space;
}

}  // namespace

void LiveView::OnAnswer(StatusFigures figures, const Instant& as_of) {
  const bool renewed = !answered_ || figures.renewals != figures_.renewals;
  if (renewed && figures.round_trip_last > Duration{0}) {
    round_trips_.push_back(figures.round_trip_last);
    if (round_trips_.size() > kRoundTrips) round_trips_.pop_front();
  }
  figures_ = std::move(figures);
  as_of_ = as_of;
  answered_ = true;
}

std::string LiveView::Painted(const char* color,
                              const std::string& text) const {
  const bool paint = style_.color && *color != '\0' && !text.empty();
  return paint ? color + text + kReset : text;
}

// What was answered, and what has become of it since.
void LiveView::AddState(Duration age, std::string* lines) const {
  std::string text = figures_.certainty;
  const char* color = "";
  if (text == "held" && age < figures_.to_renew_by) {
    text += ", generation " + figures_.generation;
    color = kGreen;
  } else if (text == "held") {
    text = "uncertain: no renewal, and no answer since";
    color = kYellow;
  } else if (text == "uncertain") {
    if (!figures_.reason.empty()) text += ": " + figures_.reason;
    color = kYellow;
  }
  AddLine("state", text, color, lines);
  if (figures_.draining) AddLine("", "draining", "", lines);
  if (figures_.work_running) AddLine("", "work is running", "", lines);
}

void LiveView::AddValidity(Duration age, std::string* lines) const {
  if (figures_.certainty == "standby") return;
  if (style_.size.columns > kName + kBarCells) {
    *lines += Label("validity") + Bar(age) + "\n";
  }
  AddLine("",
          Rough(AtLeastNothing(figures_.to_renew_by - age)) + " held, " +
              Rough(AtLeastNothing(figures_.to_valid_until - age)) +
              " until the claim ends",
          "", lines);
}

std::string LiveView::Bar(Duration age) const {
  const Duration valid = AtLeastNothing(figures_.to_valid_until - age);
  const Duration held =
      std::min(AtLeastNothing(figures_.to_renew_by - age), valid);
  const std::size_t all = Cells(valid, figures_.lease_duration);
  const std::size_t sure = Cells(held, figures_.lease_duration);
  const bool wide = style_.unicode;
  return Painted(kGreen, Repeated(wide ? "\u2588" : "#", sure)) +
         Painted(kYellow, Repeated(wide ? "\u2592" : "=", all - sure)) +
         Painted(kDim, Repeated(wide ? "\u2591" : ".", kBarCells - all));
}

std::string LiveView::History() const {
  if (!style_.unicode || round_trips_.empty()) return "";
  constexpr std::array<const char*, 8> kSteps{"\u2581", "\u2582", "\u2583",
                                              "\u2584", "\u2585", "\u2586",
                                              "\u2587", "\u2588"};
  const Duration most = *std::ranges::max_element(round_trips_);
  std::string text;
  for (const Duration one : round_trips_) {
    const auto step = static_cast<std::size_t>(one * 7 / most);
    text += kSteps.at(std::min<std::size_t>(step, kSteps.size() - 1));
  }
  return text;
}

bool LiveView::IsNarrow() const { return style_.size.columns < kRoomForNames; }

// For a line without its name.
std::string LiveView::Named(const char* name) const {
  return IsNarrow() ? name : "";
}

// A line that the terminal wraps would be redrawn in the wrong place, and one
// that is cut could lose digits of a generation.
// REQUIRES: `text` is ASCII.
void LiveView::AddLine(const char* name, const std::string& text,
                       const char* color, std::string* lines) const {
  const std::size_t before = IsNarrow() ? kIndent : kName;
  if (style_.size.columns <= before + 1) return;
  const std::size_t room = style_.size.columns - before - 1;
  std::string label = Label(name).substr(0, before);
  if (IsNarrow()) label.assign(before, ' ');
  std::string_view left = text;
  do {
    const std::string_view part = left.substr(0, PartLength(left, room));
    *lines += label + Painted(color, std::string(part)) + "\n";
    label.assign(before, ' ');
    left.remove_prefix(part.size());
    if (left.starts_with(' ')) left.remove_prefix(1);
  } while (!left.empty());
}

// The first of `lines`, with a row left for the cursor.
std::string LiveView::Fitting(const std::string& lines) const {
  if (style_.size.rows == 0) return lines;
  std::size_t end = 0;
  for (std::size_t row = 1; row < std::max<std::size_t>(style_.size.rows, 2);
       ++row) {
    const std::size_t next = lines.find('\n', end);
    if (next == std::string::npos) break;
    end = next + 1;
  }
  return lines.substr(0, end);
}

std::string LiveView::Draw(const Instant& now) const {
  if (!answered_) return "";
  const Duration age = LongestElapsed(as_of_, now);
  std::string lines =
      figures_.lease.substr(0,
                            std::max<std::size_t>(style_.size.columns, 2) - 1) +
      "\n";
  AddState(age, &lines);
  AddValidity(age, &lines);
  std::string holder = figures_.holder.empty() ? "nobody" : figures_.holder;
  if (!figures_.holder_generation.empty()) {
    holder += ", generation " + figures_.holder_generation;
  }
  AddLine("holder", Named("held by ") + holder, "", &lines);
  if (!figures_.refusal.empty()) AddLine("", figures_.refusal, "", &lines);
  AddLine("renewals", Named("renewals ") + std::to_string(figures_.renewals),
          "", &lines);
  AddLine("round trip",
          Named("round trip ") + Fine(figures_.round_trip_last) + " last, " +
              Fine(figures_.round_trip_p99) + " p99",
          "", &lines);
  const std::string history = History();
  if (!history.empty() && !IsNarrow()) {
    lines += Label("") + history + "\n";
  }
  AddLine("margin", Named("margin ") + Rough(figures_.margin), "", &lines);
  return Fitting(lines);
}

}  // namespace tenure
