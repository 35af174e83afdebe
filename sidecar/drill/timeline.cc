#include "sidecar/drill/timeline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/drill/event.h"
#include "sidecar/drill/options.h"
#include "sidecar/drill/report_text.h"
#include "sidecar/drill/verdict.h"

namespace tenure {
namespace {

constexpr double kWidth = 1000;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 64;  // the numbers of the steps
constexpr double kLane = 66;
constexpr double kBand = 26;
constexpr double kStore = 74;
constexpr double kAxis = 30;
// One for each contender: the store's bar has no name.
constexpr int kColours = kMostContenders;

std::string Num(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

double Seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

std::string Tag(const std::string& name, const std::string& attributes) {
  return "<" + name + " " + attributes + "/>";
}

std::string Text(double x, double y, const std::string& kind,
                 std::string_view text) {
  return "<text x=\"" + Num(x) + "\" y=\"" + Num(y) + "\" class=\"" + kind +
         "\">" + Escaped(text) + "</text>";
}

std::string Line(double x1, double y1, double x2, double y2,
                 const std::string& kind) {
  return Tag("line", "x1=\"" + Num(x1) + "\" y1=\"" + Num(y1) + "\" x2=\"" +
                         Num(x2) + "\" y2=\"" + Num(y2) + "\" class=\"" + kind +
                         "\"");
}

// Whether `text` fits into a bar, at the size of a label.
bool Fits(const std::string& text, double width) {
  constexpr double kDigit = 7.6;
  constexpr double kMargin = 10;
  return width > kMargin + kDigit * static_cast<double>(text.size());
}

const char* BandName(Band::Kind kind) {
  switch (kind) {
    case Band::Kind::kHeld:
      return "held";
    case Band::Kind::kUncertain:
      return "uncertain";
    case Band::Kind::kStandby:
      return "standby";
    case Band::Kind::kFrozen:
      return "frozen";
  }
  return "standby";
}

class Picture {
 public:
  explicit Picture(const DrillResult& drill)
      : drill_(drill),
        attempts_(Attempts(drill.events)),
        end_(std::max(Seconds(drill.took), 0.1)) {
    for (const DrillEvent& event : drill.events) {
      if (!event.who.empty() && !lanes_.contains(event.who)) {
        const auto number = static_cast<int>(lanes_.size());
        lanes_[event.who] = number;
      }
    }
    store_y_ = kTop + kLane * static_cast<double>(lanes_.size());
    height_ = store_y_ + kStore + kAxis;
  }

  std::string Svg() {
    std::string body = Axis() + Lanes() + StepLines() + Store();
    for (const Attempt& attempt : attempts_) body += Mark(attempt);
    return "<svg viewBox=\"0 0 " + Num(kWidth) + " " + Num(height_) +
           "\" role=\"img\" aria-label=\"" + Escaped(Spoken()) + "\">" + body +
           "</svg>\n";
  }

 private:
  std::string Spoken() const {
    return "Timeline of the drill " + drill_.name + ": " +
           DrillOutcomeName(drill_.verdict.outcome) + ", " + drill_.verdict.why;
  }

  double X(Duration at) const {
    const double share = std::clamp(Seconds(at) / end_, 0.0, 1.0);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  double LaneY(const std::string& who) const {
    return kTop + kLane * lanes_.at(who);
  }
  std::string Colour(const std::string& who) const {
    return "c" + std::to_string(lanes_.at(who) % kColours);
  }

  std::string Axis() const {
    double step = 0.5;
    for (const double next : {1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 600.0}) {
      if (end_ / step > 12) step = next;
    }
    std::string text;
    const double bottom = height_ - kAxis;
    for (int i = 0; step * i <= end_ && i < 200; ++i) {
      const double x = X(std::chrono::duration_cast<Duration>(
          std::chrono::duration<double>(step * i)));
      text += Line(x, kTop - 6, x, bottom, "grid");
      text += Text(x, bottom + 18, "tick", Num(step * i) + " s");
    }
    return text;
  }

  std::string Lanes() const {
    std::string text;
    for (const auto& [who, number] : lanes_) {
      text += Text(0, LaneY(who) + 18, "lane", who);
    }
    for (const Band& band : Bands(drill_.events, drill_.took)) {
      if (!lanes_.contains(band.who)) continue;
      const double from = X(band.from);
      const double width = std::max(X(band.ended) - from, 0.8);
      const double y = LaneY(band.who);
      std::string name = BandName(band.kind);
      std::string label = band.kind == Band::Kind::kFrozen ? "paused" : "";
      if (band.generation != 0) label = std::to_string(band.generation);
      text +=
          "<g class=\"band " + name + " " + Colour(band.who) +
          "\" data-who=\"" + Escaped(band.who) + "\" data-generation=\"" +
          std::to_string(band.generation) + "\"><title>" +
          Escaped(band.who + ": " + name + " from " + SecondsText(band.from) +
                  " to " + SecondsText(band.ended)) +
          "</title>" +
          Tag("rect", "x=\"" + Num(from) + "\" y=\"" + Num(y) + "\" width=\"" +
                          Num(width) + "\" height=\"" + Num(kBand) +
                          "\" rx=\"3\"");
      if (!label.empty() && Fits(label, width)) {
        text += Text(from + width / 2, y + 18, "label", label);
      }
      text += "</g>";
    }
    return text;
  }

  std::string StepLines() const {
    std::string text;
    double last_x = -100;
    int row = 0;
    int number = 0;
    for (const DrillEvent& step : Steps(drill_.events)) {
      const double x = X(step.at);
      // Those that would cover each other stand one above the other.
      row = x - last_x < 20 ? (row + 1) % 3 : 0;
      last_x = x;
      const double y = 46 - 18 * row;
      const std::string kind =
          step.kind == DrillEventKind::kFault ? "step fault" : "step";
      text += Line(x, y + 9, x, height_ - kAxis, kind);
      text +=
          "<g class=\"" + kind + "\"><title>" + Escaped(step.text) +
          "</title>" +
          Tag("circle", "cx=\"" + Num(x) + "\" cy=\"" + Num(y) + "\" r=\"9\"") +
          Text(x, y + 4, "number", std::to_string(++number)) + "</g>";
    }
    return text;
  }

  // The token that the store knows, from each acceptance on.
  std::string Store() const {
    std::string text = Text(0, store_y_ + 40, "lane", "store");
    std::int64_t token = 0;
    std::string who;
    Duration from{0};
    const auto segment = [&](Duration to) {
      if (token == 0) return;
      const double x = X(from);
      const double width = std::max(X(to) - x, 1.0);
      text += "<g class=\"token " + Colour(who) + "\">" +
              Tag("rect", "x=\"" + Num(x) + "\" y=\"" + Num(store_y_ + 22) +
                              "\" width=\"" + Num(width) + "\" height=\"" +
                              Num(kBand) + "\"");
      const std::string label = std::to_string(token);
      if (Fits(label, width)) {
        text += Text(x + width / 2, store_y_ + 40, "label", label);
      }
      text += "</g>";
    };
    for (const Attempt& attempt : attempts_) {
      if (attempt.outcome != StoreOutcome::kAccepted ||
          !lanes_.contains(attempt.who) ||
          (attempt.generation <= token && !attempt.who.empty() &&
           attempt.who == who)) {
        continue;
      }
      segment(attempt.answered);
      // Without a fence a lower one writes over a higher one.
      token = attempt.generation;
      who = attempt.who;
      from = attempt.answered;
    }
    segment(drill_.took);
    return text;
  }

  std::string Mark(const Attempt& attempt) const {
    if (!lanes_.contains(attempt.who)) return "";
    const double x = X(attempt.tried);
    const double y = LaneY(attempt.who) + kBand + 12;
    const bool stale = attempt.id == drill_.stale_id;
    const std::string outcome = OutcomeName(attempt.outcome);
    std::string text =
        "<g class=\"mark " + outcome + (stale ? " stale " : " ") +
        Colour(attempt.who) + "\" data-generation=\"" +
        std::to_string(attempt.generation) + "\"><title>" +
        Escaped(attempt.who + ": " + attempt.op + " under generation " +
                std::to_string(attempt.generation) + ", " + outcome +
                (attempt.token != 0
                     ? ", the store knows " + std::to_string(attempt.token)
                     : "")) +
        "</title>";
    if (stale) text += Line(x, y, x, store_y_ + 22, "flight");
    text += Sign(attempt.outcome, x, y, attempt.op == "raise" ? 5 : 3.2, 5);
    if (stale) {
      text += Sign(attempt.outcome, x, store_y_ + 14, 6, 7);
      const bool right = x > kWidth - 330;
      text += Text(right ? x - 12 : x + 12, store_y_ + 16,
                   right ? "verdict right" : "verdict",
                   attempt.outcome == StoreOutcome::kRefused
                       ? "write under " + std::to_string(attempt.generation) +
                             " REFUSED: the store knows " +
                             std::to_string(attempt.token)
                       : "write under " + std::to_string(attempt.generation) +
                             " " + outcome);
    }
    return text + "</g>";
  }

  // A cross for what was refused; what has no answer yet is a ring, by its
  // class.
  static std::string Sign(StoreOutcome outcome, double x, double y, double dot,
                          double cross) {
    if (outcome == StoreOutcome::kRefused) return Cross(x, y, cross);
    return Tag("circle", "cx=\"" + Num(x) + "\" cy=\"" + Num(y) + "\" r=\"" +
                             Num(dot) + "\"");
  }

  static std::string Cross(double x, double y, double r) {
    return Line(x - r, y - r, x + r, y + r, "cross") +
           Line(x - r, y + r, x + r, y - r, "cross");
  }

  const DrillResult& drill_;
  const std::vector<Attempt> attempts_;
  const double end_;                  // seconds
  std::map<std::string, int> lanes_;  // by contender: its place
  double store_y_ = 0;
  double height_ = 0;
};

}  // namespace

std::vector<DrillEvent> Steps(const std::vector<DrillEvent>& events) {
  std::vector<DrillEvent> steps;
  for (const DrillEvent& event : events) {
    if (event.kind == DrillEventKind::kFault ||
        event.kind == DrillEventKind::kNote) {
      steps.push_back(event);
    }
  }
  return steps;
}

std::string TimelineSvg(const DrillResult& drill) {
  return Picture(drill).Svg();
}

}  // namespace tenure
