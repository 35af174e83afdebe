#include "sidecar/planning/plan_picture.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"
#include "sidecar/planning/lease_plan.h"
#include "sidecar/planning/plan_text.h"
#include "sidecar/planning/time_text.h"

namespace tenure {
namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 118;
constexpr double kRight = 930;
constexpr double kFirstLabel = 74;  // labels of the moments, a row for each
constexpr double kRow = 19;
constexpr double kHolder = 160;
constexpr double kNext = 206;
constexpr double kFit = 252;
constexpr double kLane = 34;
constexpr double kAxis = 304;
constexpr double kLegend = 346;
constexpr double kBottom = 404;
constexpr double kVerdictLine = 18;
constexpr std::size_t kVerdictCharacters = 115;  // of a line, at the most
constexpr double kCharacter = 7.6;               // wide, about

constexpr char kHeld[] = "#2f8f5b";
constexpr char kUncertain[] = "#d99a1c";
constexpr char kStandby[] = "#c9ced6";
constexpr char kNextHolder[] = "#3b6fb6";
constexpr char kInk[] = "#1d2430";
constexpr char kAlarm[] = "#b3261e";

struct Segment {
  const char* name;
  Duration length;
  const char* color;
};

std::string Escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// What is drawn, and how long it is altogether.
class Drawing {
 public:
  explicit Drawing(Duration whole) : whole_(whole) {}

  double X(Duration at) const {
    const double share = static_cast<double>(std::min(at, whole_).count()) /
                         static_cast<double>(whole_.count());
    return kLeft + (kRight - kLeft) * share;
  }

  void Text(double x, double y, const std::string& text, const char* extra) {
    body_ += "<text x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" " + extra +
             ">" + Escaped(text) + "</text>\n";
  }

  // From one moment to another, named inside where the name fits.
  void Band(double y, Duration from, Duration to, const char* color,
            const std::string& name, const char* name_color) {
    const double x = X(from);
    const double width = X(to) - x;
    if (width <= 0) return;
    body_ += "<rect x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" width=\"" +
             Number(width) + "\" height=\"" + Number(kLane) + "\" fill=\"" +
             color + "\"><title>" +
             Escaped(name + ": " + TimeText(from) + " to " + TimeText(to)) +
             "</title></rect>\n";
    if (width < kCharacter * static_cast<double>(name.size()) + 8) return;
    const std::string extra =
        std::string("text-anchor=\"middle\" fill=\"") + name_color + "\"";
    Text(x + width / 2, y + kLane / 2 + 5, name, extra.c_str());
  }

  void Line(double x, double from, double to, const char* style) {
    body_ += "<line x1=\"" + Number(x) + "\" x2=\"" + Number(x) + "\" y1=\"" +
             Number(from) + "\" y2=\"" + Number(to) + "\" " + style + "/>\n";
  }

  void Raw(const std::string& text) { body_ += text; }

  const std::string& body() const { return body_; }

 private:
  const Duration whole_;
  std::string body_;
};

std::vector<Segment> Needs(const LeasePlan& plan) {
  const PlanInputs& in = plan.inputs;
  return {{"renew interval", plan.times.renew_interval, "#5b8def"},
          {"p99 work", in.p99_work, "#7a5bd0"},
          {"p99 pause", in.p99_pause, "#c25b9e"},
          {"network delay", in.max_network_delay, "#e07a4b"},
          {"jitter", plan.jitter, "#f0b27a"},
          {"safety margin", plan.safety_margin, "#8aa7a0"}};
}

Duration TakeOver(const LeasePlan& plan) {
  return TakeOverWait(plan.times.lease_duration_seconds, plan.times.drift_ppm);
}

Duration Whole(const LeasePlan& plan) {
  const Duration longest =
      std::max(plan.survival.recovery, plan.minimum + plan.jitter);
  return longest + longest / 8;
}

void DrawMoments(const LeasePlan& plan, Drawing* drawing) {
  struct Mark {
    const char* name;
    Duration at;
  };
  const std::array<Mark, 4> marks{{{"renew_at", plan.times.renew_interval},
                                   {"renew_by", plan.times.renew_deadline},
                                   {"valid_until", ValidFor(plan.times)},
                                   {"another may hold", TakeOver(plan)}}};
  double y = kFirstLabel;
  for (const Mark& mark : marks) {
    drawing->Line(drawing->X(mark.at), y - 12, kAxis,
                  "stroke=\"#1d2430\" stroke-dasharray=\"3 3\"");
    y += kRow;
  }
  // Over all lines, on white: valid_until is close to what follows it.
  const std::string halo =
      "stroke=\"#fff\" stroke-width=\"4\" stroke-linejoin=\"round\" "
      "paint-order=\"stroke\"";
  y = kFirstLabel;
  for (const Mark& mark : marks) {
    const double x = drawing->X(mark.at);
    // Towards the middle, so that no label leaves the picture.
    const bool left = x > (kLeft + kRight) / 2;
    const std::string extra = halo + (left ? " text-anchor=\"end\"" : "");
    drawing->Text(left ? x - 6 : x + 6, y,
                  std::string(mark.name) + "  " + TimeText(mark.at),
                  extra.c_str());
    y += kRow;
  }
}

void DrawLanes(const LeasePlan& plan, Drawing* drawing) {
  const Duration end = Whole(plan);
  const Duration valid = ValidFor(plan.times);
  drawing->Text(kLeft - 10, kHolder + 22, "holder", "text-anchor=\"end\"");
  drawing->Band(kHolder, Duration{0}, plan.times.renew_deadline, kHeld, "held",
                "#fff");
  drawing->Band(kHolder, plan.times.renew_deadline, valid, kUncertain,
                "uncertain", kInk);
  drawing->Band(kHolder, valid, end, kStandby, "standby", kInk);
  drawing->Text(kLeft - 10, kNext + 22, "next holder", "text-anchor=\"end\"");
  drawing->Band(kNext, Duration{0}, TakeOver(plan), kStandby,
                "waits, if no renewal comes", kInk);
  drawing->Band(kNext, TakeOver(plan), end, kNextHolder, "acquires", "#fff");
  drawing->Text(kLeft - 10, kFit + 22, "must fit", "text-anchor=\"end\"");
  Duration at{0};
  for (const Segment& part : Needs(plan)) {
    drawing->Band(kFit, at, at + part.length, part.color, part.name, "#fff");
    at += part.length;
  }
  if (!plan.enough) {
    drawing->Band(kFit, std::max(valid, Duration{0}), at, kAlarm,
                  "does not fit", "#fff");
  }
}

// A round time, few enough of which are in `whole` that their names have room.
Duration TickStep(Duration whole) {
  constexpr int kMostTicks = 10;
  constexpr int kHour = 3600;
  for (const int step : {1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800}) {
    if (whole / std::chrono::seconds(step) <= kMostTicks) {
      return std::chrono::seconds(step);
    }
  }
  Duration step = std::chrono::seconds(kHour);
  for (int i = 0; whole / step > kMostTicks; ++i) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;  // 1, 2, 5, 10, 20, 50 ... h
  }
  return step;
}

void DrawAxis(const LeasePlan& plan, Drawing* drawing) {
  const Duration whole = Whole(plan);
  drawing->Raw("<path d=\"M" + Number(kLeft) + " " + Number(kAxis) + "H" +
               Number(kRight) + "\" stroke=\"#1d2430\" fill=\"none\"/>\n");
  const Duration step = TickStep(whole);
  for (Duration at{0}; at <= whole; at += step) {
    const double x = drawing->X(at);
    drawing->Line(x, kAxis, kAxis + 5, "stroke=\"#1d2430\"");
    const std::string name = TimeText(at);
    const double half = kCharacter * static_cast<double>(name.size()) / 2;
    drawing->Text(std::min(x, kWidth - half), kAxis + 20, name,
                  "text-anchor=\"middle\"");
  }
}

void DrawLegend(const LeasePlan& plan, Drawing* drawing) {
  constexpr double kColumn = (kRight - kLeft) / 3;
  std::size_t index = 0;
  for (const Segment& part : Needs(plan)) {
    const std::size_t row = index / 3;
    const double x = kLeft + kColumn * static_cast<double>(index % 3);
    const double y = kLegend + 22 * static_cast<double>(row);
    drawing->Raw("<rect x=\"" + Number(x) + "\" y=\"" + Number(y) +
                 "\" width=\"12\" height=\"12\" fill=\"" + part.color +
                 "\"/>\n");
    drawing->Text(x + 18, y + 11,
                  std::string(part.name) + "  " + TimeText(part.length), "");
    ++index;
  }
}

std::string Title(const LeasePlan& plan) {
  return "Lease duration " +
         TimeText(std::chrono::seconds(plan.times.lease_duration_seconds)) +
         ", counted from before the last renewal was sent";
}

// Cut between words.
std::vector<std::string> Lines(std::string text) {
  std::vector<std::string> lines;
  while (text.size() > kVerdictCharacters) {
    const std::size_t space = text.rfind(' ', kVerdictCharacters);
    if (space == std::string::npos) break;
    lines.push_back(text.substr(0, space));
    text = text.substr(space + 1);
  }
  lines.push_back(text);
  return lines;
}

// The title, and under it the verdict. How far all else has to make room.
double DrawHead(const LeasePlan& plan, Drawing* drawing) {
  const std::string title =
      "font-size=\"19\" font-weight=\"600\" fill=\"" + std::string(kInk) + "\"";
  drawing->Text(24, 34, Title(plan), title.c_str());
  double y = 55;
  for (const std::string& line : Lines(Verdict(plan))) {
    drawing->Text(24, y, line,
                  plan.enough ? "fill=\"#1d2430\"" : "fill=\"#b3261e\"");
    y += kVerdictLine;
  }
  return y - kVerdictLine - 55;
}

}  // namespace

std::string PlanSvg(const LeasePlan& plan) {
  Drawing drawing(Whole(plan));
  const double lower = DrawHead(plan, &drawing);
  drawing.Raw("<g transform=\"translate(0 " + Number(lower) + ")\">\n");
  DrawLanes(plan, &drawing);
  DrawMoments(plan, &drawing);
  DrawAxis(plan, &drawing);
  DrawLegend(plan, &drawing);
  drawing.Raw("</g>\n");
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
         Number(kWidth) + " " + Number(kBottom + lower) +
         "\" role=\"img\" font-family=\"system-ui, sans-serif\" "
         "font-size=\"14\" fill=\"#1d2430\">\n<title>" +
         Escaped(Title(plan)) + "</title>\n<desc>" + Escaped(Verdict(plan)) +
         "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         drawing.body() + "</svg>\n";
}

std::string PlanHtml(const LeasePlan& plan) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" +
         Escaped(Title(plan)) +
         "</title>\n<style>\n"
         "body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem;\n"
         "       font-family: system-ui, sans-serif; color: #1d2430; }\n"
         "svg { width: 100%; height: auto; }\n"
         "pre { padding: 1rem; overflow-x: auto; background: #f4f5f7; }\n"
         "</style>\n</head>\n<body>\n" +
         PlanSvg(plan) + "<pre>" + Escaped(PlanText(plan)) +
         "</pre>\n</body>\n</html>\n";
}

}  // namespace tenure
