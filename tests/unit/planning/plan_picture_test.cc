#include "sidecar/planning/plan_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(PlanHtml, IsOnePageWithThePictureAndTheText) {
  const std::string page = PlanHtml(Preset("default", Duration{0}));
  EXPECT_TRUE(TagsMatch(page));
  EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<svg "),
                          HasSubstr("No duration replaces the"),
                          Not(HasSubstr("<script")), Not(HasSubstr("src="))));
}

}  // namespace
}  // namespace tenure
