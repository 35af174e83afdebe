// WatchSession: one open watch on its connection. Private to this folder: it
// includes Beast.
//
// Thread safety: the server's one thread.
// Invariants: events leave in order; a reader that owes more than
// ServerLimits::watch_queue_bytes is cut off.
#ifndef TENURE_EMBEDDED_WATCH_SESSION_H_
#define TENURE_EMBEDDED_WATCH_SESSION_H_

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <memory>
#include <optional>
#include <string>

#include "sidecar/embedded/server_core.h"

namespace tenure::embedded {

class WatchSession : public std::enable_shared_from_this<WatchSession>,
                     public WatchSink {
 public:
  // `chunked`: HTTP/1.1. Otherwise the end of the connection ends the answer.
  WatchSession(boost::beast::tcp_stream stream, ConnectionSlot slot,
               WatchFeed feed, bool chunked);
  ~WatchSession() override;

  void Start();

  void OnChange(const LeaseChange& change) override;
  void OnThaw() override { Flush(); }

 private:
  void Enqueue(const std::string& text);
  void Flush();
  void WriteOn();
  void End();
  void Close();
  void WatchForEnd();
  void ArmTimers();
  void ArmBookmark(Duration in);
  bool Frozen() const;

  boost::beast::tcp_stream stream_;
  ConnectionSlot slot_;
  ServerCore& core_;
  WatchFeed feed_;
  bool chunked_;
  std::optional<ServerCore::SinkHandle> handle_;
  boost::asio::steady_timer end_timer_;
  boost::asio::steady_timer bookmark_timer_;
  std::string pending_;  // events not yet handed to the socket
  std::string sending_;  // what the socket is busy with
  bool writing_ = false;
  bool ending_ = false;
  std::array<char, 64> ignored_{};
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_WATCH_SESSION_H_
