// LineWriter: lines to a file descriptor that may stop taking them.
//
// A bounded queue and one thread that waits in poll(2): who logs never waits
// for who reads (S13). What does not fit is dropped and counted.
//
// Thread safety: Write, Dropped and Flush from any thread.
// Invariants: at most `limit` bytes wait; a line is written whole or, once the
// descriptor fails, not at all.
#ifndef TENURE_TELEMETRY_LINE_WRITER_H_
#define TENURE_TELEMETRY_LINE_WRITER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "sidecar/base/instant.h"

namespace tenure {

class LineWriter {
 public:
  // `fd` is not owned and must outlive the writer.
  LineWriter(int fd, std::size_t limit);
  // Gives up what waits: Flush first.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // `line` ends in a newline.
  void Write(std::string_view line);

  std::uint64_t Dropped() const;

  // True once nothing waits; false if that took longer than `limit`.
  bool Flush(Duration limit);

 private:
  void Run();
  void Wake();
  // Waits until `fd_` takes bytes, or there are more, or it is over.
  bool AwaitWritable(bool interested);
  void WriteSome();

  const int fd_;
  const int wake_;  // eventfd
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::string waiting_;
  std::size_t written_ = 0;  // of waiting_, by the thread
  std::uint64_t dropped_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace tenure

#endif  // TENURE_TELEMETRY_LINE_WRITER_H_
