#include "sidecar/cli/status_watch.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/answer_watch.h"
#include "sidecar/cli/live_view.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/local_watch.h"
#include "sidecar/cli/output_format.h"
#include "sidecar/cli/sidecar_answer.h"
#include "sidecar/cli/standard_output.h"
#include "sidecar/cli/status_figures.h"
#include "sidecar/cli/terminal.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/config/settings.h"

namespace tenure {
namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(250);

ViewSize TerminalSize() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

bool IsUtf8(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = Variable(environment, name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos ||
           value.find("utf8") != std::string::npos;
  }
  return false;
}

class Watching {
 public:
  Watching(const LocalAddress& address, std::string query, OutputFormat format,
           Duration first_limit, std::optional<ViewStyle> view)
      : address_(address),
        query_(std::move(query)),
        format_(format),
        first_limit_(first_limit) {
    if (view) view_.emplace(*view);
  }

  int Run() {
    return WatchAnswers(
        address_, {.route = "/v1/status",
                   .query = query_,
                   .first_limit = first_limit_,
                   .take = [this](const SidecarAnswer& a) { return Take(a); },
                   .tick = WatchTick{kRedraw, [this] { Redraw(); }}});
  }

 private:
  Result<bool> Take(const SidecarAnswer& answer) {
    if (!view_) return PrintDocument(answer.summary, format_);
    Result<StatusFigures> figures = ReadStatusFigures(answer.summary.json);
    if (!figures) return std::unexpected(figures.error());
    view_->OnAnswer(*std::move(figures), answer.as_of);
    Redraw();
    return FlushOutput();
  }

  void Redraw() {
    if (!view_) return;
    const ViewSize size = TerminalSize();
    view_->Resize(size);
    const std::string text = view_->Draw(ReadClocks().instant);
    if (text.empty()) return;
    std::string out;
    // Up to where it began, and clear from there. In a terminal of another size
    // nobody knows where that is.
    if (lines_ > 0 && size != drawn_for_) {
      out = "\033[H\033[2J";
    } else if (lines_ > 0) {
      out = "\033[" + std::to_string(lines_) + "A\r\033[J";
    }
    drawn_for_ = size;
    out += text;
    lines_ = std::ranges::count(text, '\n');
    std::fputs(out.c_str(), stdout);
    FlushOutput();
  }

  const LocalAddress address_;
  const std::string query_;
  const OutputFormat format_;
  const Duration first_limit_;
  std::optional<LiveView> view_;
  std::ptrdiff_t lines_ = 0;
  ViewSize drawn_for_;
};

}  // namespace

std::optional<ViewStyle> TerminalStyle(const Environment& environment) {
  if (::isatty(STDOUT_FILENO) != 1 || Variable(environment, "TERM") == "dumb") {
    return std::nullopt;
  }
  return ViewStyle{ChooseColor(Settings{}, environment, true),
                   IsUtf8(environment),
                   // Only what is drawn anew has to fit in its height.
                   {.columns = TerminalSize().columns}};
}

int WatchStatus(const LocalAddress& address, const std::string& query,
                OutputFormat format, Duration first_limit,
                const Environment& environment) {
  const bool drawn = format == OutputFormat::kText;
  return Watching(address, query, format, first_limit,
                  drawn ? TerminalStyle(environment) : std::nullopt)
      .Run();
}

}  // namespace tenure
