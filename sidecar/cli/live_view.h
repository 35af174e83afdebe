// LiveView: the answers of one lease on a terminal, counting on between them.
//
// Thread safety: one thread at a time; no I/O.
// Invariants: remembers at most kRoundTrips round trips; takes off what remains
// the longest time that can have passed (S1), so it never shows too much.
#ifndef TENURE_CLI_LIVE_VIEW_H_
#define TENURE_CLI_LIVE_VIEW_H_

#include <cstddef>
#include <deque>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/cli/status_figures.h"

namespace tenure {

// Of a terminal, which may become another at any time.
struct ViewSize {
  std::size_t columns = 80;
  std::size_t rows = 0;  // 0: as many as it takes

  friend bool operator==(const ViewSize&, const ViewSize&) = default;
};

struct ViewStyle {
  bool color = false;
  bool unicode = false;
  ViewSize size;
};

class LiveView {
 public:
  static constexpr std::size_t kRoundTrips = 24;

  explicit LiveView(const ViewStyle& style) : style_(style) {}

  // `as_of`: what remains was reckoned for then.
  void OnAnswer(StatusFigures figures, const Instant& as_of);

  void Resize(ViewSize size) { style_.size = size; }

  // Lines, each shorter than the terminal is wide, and fewer than it has rows:
  // the last ones are left out. What is too long goes on in the next line.
  // Empty before an answer.
  std::string Draw(const Instant& now) const;

 private:
  void AddState(Duration age, std::string* lines) const;
  void AddValidity(Duration age, std::string* lines) const;
  void AddLine(const char* name, const std::string& text, const char* color,
               std::string* lines) const;
  bool IsNarrow() const;
  std::string Named(const char* name) const;
  std::string Fitting(const std::string& lines) const;
  std::string Bar(Duration age) const;
  std::string History() const;
  std::string Painted(const char* color, const std::string& text) const;

  ViewStyle style_;
  StatusFigures figures_;
  Instant as_of_;
  bool answered_ = false;
  std::deque<Duration> round_trips_;
};

}  // namespace tenure

#endif  // TENURE_CLI_LIVE_VIEW_H_
