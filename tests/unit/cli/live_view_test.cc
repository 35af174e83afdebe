#include "sidecar/cli/live_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/cli/status_figures.h"

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Instant kThen{hours(1), hours(1)};

Instant After(Duration age) { return Instant{hours(1) + age, hours(1) + age}; }

StatusFigures Held() {
  StatusFigures figures;
  figures.lease = "default/job";
  figures.certainty = "held";
  figures.generation = "1042";
  figures.holder = "pod_uid_1";
  figures.to_renew_by = seconds(9);
  figures.to_valid_until = seconds(14);
  figures.lease_duration = seconds(15);
  figures.round_trip_last = std::chrono::microseconds(1200);
  figures.round_trip_p99 = milliseconds(250);
  figures.margin = milliseconds(12'640);
  figures.renewals = 7;
  return figures;
}

std::size_t Widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) {
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++width;
    }
    widest = std::max(widest, width);
  }
  return widest;
}

TEST(LiveView, ShowsNothingBeforeAnAnswer) {
  EXPECT_EQ(LiveView(ViewStyle{}).Draw(kThen), "");
}

TEST(LiveView, ShowsTheAnswerInWords) {
  LiveView view{ViewStyle{}};
  view.OnAnswer(Held(), kThen);
  EXPECT_EQ(view.Draw(kThen),
            "default/job\n"
            "  state       held, generation 1042\n"
            "  validity    ########################=============...\n"
            "              9 s held, 14 s until the claim ends\n"
            "  holder      pod_uid_1\n"
            "  renewals    7\n"
            "  round trip  1.2 ms last, 250 ms p99\n"
            "  margin      12.6 s\n");
}

TEST(LiveView, CountsOnAndTurnsUncertainByItself) {
  LiveView view{ViewStyle{}};
  view.OnAnswer(Held(), kThen);
  EXPECT_THAT(view.Draw(After(seconds(4))),
              AllOf(HasSubstr("held, generation 1042"),
                    HasSubstr("5 s held, 10 s until")));
  EXPECT_THAT(view.Draw(After(seconds(9))),
              AllOf(HasSubstr("uncertain"), Not(HasSubstr("1042"))));
  EXPECT_THAT(view.Draw(After(hours(1))), HasSubstr("0 s held, 0 s until"));
}

TEST(LiveView, AStandbyNamesTheHolder) {
  StatusFigures figures;
  figures.certainty = "standby";
  figures.holder = "other";
  figures.holder_generation = "9";
  LiveView view{ViewStyle{}};
  view.OnAnswer(figures, kThen);
  EXPECT_THAT(view.Draw(kThen), AllOf(HasSubstr("other, generation 9"),
                                      Not(HasSubstr("validity"))));
}

TEST(LiveView, PaintsOnlyWhereThatIsWanted) {
  ViewStyle style;
  LiveView plain(style);
  plain.OnAnswer(Held(), kThen);
  EXPECT_THAT(plain.Draw(kThen), Not(HasSubstr("\033")));
  style.color = true;
  LiveView painted(style);
  painted.OnAnswer(Held(), kThen);
  EXPECT_THAT(painted.Draw(kThen),
              HasSubstr("\033[32mheld, generation 1042\033[0m\n"));
}

TEST(LiveView, NoLineWraps) {
  StatusFigures figures = Held();
  figures.holder = std::string(300, 'h');
  figures.lease = std::string(300, 'l');
  for (std::size_t columns = 1; columns < 120; ++columns) {
    LiveView view(ViewStyle{false, true, {columns}});
    for (int i = 0; i < 30; ++i) {
      ++figures.renewals;
      view.OnAnswer(figures, kThen);
    }
    EXPECT_LE(Widest(view.Draw(kThen)), std::max<std::size_t>(columns - 1, 1))
        << columns;
  }
}

// In one word, whatever it was cut into.
std::string Joined(const std::string& text) {
  std::string joined;
  for (const char c : text) {
    if (c != '\n' && c != ' ') joined += c;
  }
  return joined;
}

TEST(LiveView, ANarrowTerminalLosesNoDigitOfAGeneration) {
  StatusFigures figures = Held();
  figures.generation = "9007199254740991";
  figures.holder = std::string(100, 'h');
  figures.holder_generation = figures.generation;
  for (std::size_t columns = 10; columns < 200; ++columns) {
    LiveView view(ViewStyle{false, true, {columns}});
    view.OnAnswer(figures, kThen);
    EXPECT_THAT(Joined(view.Draw(kThen)),
                AllOf(HasSubstr("held,generation9007199254740991"),
                      HasSubstr("hhh,generation9007199254740991")))
        << columns;
  }
}

TEST(LiveView, WordsStayWhole) {
  LiveView view(ViewStyle{false, false, {60}});
  StatusFigures figures = Held();
  figures.holder = std::string(40, 'h');
  figures.holder_generation = "1042";
  view.OnAnswer(figures, kThen);
  EXPECT_THAT(view.Draw(kThen),
              HasSubstr("  holder      " + figures.holder +
                        ",\n              generation 1042\n"));
}

TEST(LiveView, HasFewerLinesThanTheTerminalHasRows) {
  for (std::size_t rows = 2; rows < 20; ++rows) {
    LiveView view(ViewStyle{});
    view.OnAnswer(Held(), kThen);
    view.Resize({80, rows});
    const std::string drawn = view.Draw(kThen);
    EXPECT_EQ(std::ranges::count(drawn, '\n'),
              static_cast<std::ptrdiff_t>(std::min<std::size_t>(rows - 1, 8)))
        << rows;
    EXPECT_TRUE(drawn.ends_with('\n'));
  }
}

TEST(LiveView, FollowsTheTerminalsSize) {
  LiveView view(ViewStyle{});
  view.OnAnswer(Held(), kThen);
  EXPECT_GT(Widest(view.Draw(kThen)), 30U);
  view.Resize({30, 24});
  EXPECT_LT(Widest(view.Draw(kThen)), 30U);
}

TEST(LiveView, RemembersTheLastRoundTrips) {
  LiveView view(ViewStyle{false, true, {}});
  StatusFigures figures = Held();
  for (int i = 0; i < 100; ++i) {
    ++figures.renewals;
    figures.round_trip_last = milliseconds(i < 99 ? 1 : 8);
    view.OnAnswer(figures, kThen);
  }
  std::string expected;
  for (std::size_t i = 1; i < LiveView::kRoundTrips; ++i) {
    expected += "\u2581";
  }
  EXPECT_THAT(view.Draw(kThen), HasSubstr("  " + expected + "\u2588\n"));
}

}  // namespace
}  // namespace tenure
