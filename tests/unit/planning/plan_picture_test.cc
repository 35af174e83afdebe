#include "sidecar/planning/plan_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"
#include "sidecar/planning/lease_plan.h"

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

LeasePlan Preset(const char* name, Duration pause) {
  PlanInputs inputs;
  inputs.p99_pause = pause;
  return CheckPlan(inputs, TimesForPreset(name).value());
}

// That each element is closed, in order; what an XML parser says of the whole
// file is asked in tests/integration.
bool TagsMatch(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos;
       at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.starts_with('!') || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(PlanSvg, ShowsTheMomentsOfALease) {
  const std::string svg = PlanSvg(Preset("default", Duration{0}));
  EXPECT_THAT(
      svg, AllOf(StartsWith("<svg "), HasSubstr("renew_at  2 s"),
                 HasSubstr("renew_by  10 s"), HasSubstr("valid_until  14.85 s"),
                 HasSubstr("another may hold  15.15 s")));
  EXPECT_THAT(svg, Not(HasSubstr("does not fit")));
}

TEST(PlanSvg, ShowsWhatDoesNotFit) {
  EXPECT_THAT(PlanSvg(Preset("default", seconds(14))),
              AllOf(HasSubstr("does not fit"), HasSubstr("Too small")));
}

TEST(PlanSvg, LoadsNothingAndStaysInItsFrame) {
  for (const char* preset : {"fast", "default", "patient"}) {
    for (const Duration pause :
         {Duration{0}, Duration(seconds(30)), Duration(hours(8000))}) {
      const std::string svg = PlanSvg(Preset(preset, pause));
      EXPECT_TRUE(TagsMatch(svg)) << preset;
      EXPECT_THAT(svg, AllOf(Not(HasSubstr("href")), Not(HasSubstr("=\"-")),
                             Not(HasSubstr("nan"))));
      EXPECT_LT(svg.size(), 20'000U);
    }
  }
}

// The texts of the elements with this attribute.
std::vector<std::string> Texts(const std::string& svg,
                               const std::string& with) {
  std::vector<std::string> texts;
  for (std::size_t at = svg.find("<text"); at != std::string::npos;
       at = svg.find("<text", at + 1)) {
    const std::size_t inside = svg.find('>', at) + 1;
    if (svg.substr(at, inside - at).find(with) == std::string::npos) continue;
    texts.push_back(svg.substr(inside, svg.find('<', inside) - inside));
  }
  return texts;
}

TEST(PlanSvg, TheNamesOfTheTicksHaveRoom) {
  for (const Duration pause :
       {Duration(seconds(1)), Duration(seconds(70)), Duration(hours(3)),
        Duration(hours(100)), Duration(hours(8784))}) {
    const auto ticks = Texts(PlanSvg(Preset("default", pause)), "y=\"324.0\"");
    ASSERT_GE(ticks.size(), 2U);
    std::size_t longest = 0;
    for (const std::string& tick : ticks) {
      longest = std::max(longest, tick.size());
    }
    // Of the 812 of the axis, 7.6 a character.
    EXPECT_LT(static_cast<double>(longest * (ticks.size() - 1)) * 7.6, 812)
        << ticks.back();
  }
}

TEST(PlanSvg, ALongVerdictGoesOnInALineOfItsOwn) {
  PlanInputs inputs;
  inputs.p99_work = seconds(14);
  inputs.p99_pause = seconds(20);
  inputs.max_network_delay = seconds(30);
  const LeasePlan plan = CheckPlan(inputs, TimesForPreset("default").value());
  const auto lines = Texts(PlanSvg(plan), "fill=\"#b3261e\"");
  EXPECT_EQ(lines.size(), 2U);
  for (const std::string& line : lines) EXPECT_LT(line.size(), 120U);
  EXPECT_THAT(lines.back(), testing::EndsWith("would do."));
}

TEST(PlanHtml, IsOnePageWithThePictureAndTheText) {
  const std::string page = PlanHtml(Preset("default", Duration{0}));
  EXPECT_TRUE(TagsMatch(page));
  EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<svg "),
                          HasSubstr("No duration replaces the"),
                          Not(HasSubstr("<script")), Not(HasSubstr("src="))));
}

}  // namespace
}  // namespace tenure
