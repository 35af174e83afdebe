// LoopCalls: questions to the loop thread, each answered exactly once on the
// server's thread: by the loop, or in its place when it does not answer in
// time.
//
// Private to this folder: includes Asio.
// Thread safety: the server's thread only.
// Invariants: a work whose caller was told no is given back with a done, so
// that it cannot hold the lease for nobody.
#ifndef TENURE_SERVER_LOOP_CALLS_H_
#define TENURE_SERVER_LOOP_CALLS_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "sidecar/base/instant.h"
#include "sidecar/coordinator/control_port.h"
#include "sidecar/server/inbox.h"

namespace tenure {

class LoopCalls : public std::enable_shared_from_this<LoopCalls> {
 public:
  using Done = std::function<void(const ControlReply&)>;

  LoopCalls(boost::asio::io_context* context, std::shared_ptr<Inbox> inbox,
            ControlPort* control, Duration limit);

  // `done` is never called from inside Start.
  void Start(const ControlRequest& request, Done done);

  // Nobody waits for what the loop says to it.
  void Tell(const ControlRequest& request);

  // The work `request` registered will not begin after all.
  void GiveBack(const ControlRequest& request);

  // Drops every waiting `done`.
  void Clear();

 private:
  struct Waiting {
    Waiting(boost::asio::io_context* context, Done to_call)
        : done(std::move(to_call)), timer(*context) {}
    Done done;
    boost::asio::steady_timer timer;
  };

  void OnReply(std::uint64_t id, const ControlRequest& request,
               const ControlReply& reply);
  void OnSilence(std::uint64_t id, ControlRequest::Kind kind);

  boost::asio::io_context* const context_;
  const std::shared_ptr<Inbox> inbox_;
  ControlPort* const control_;
  const Duration limit_;
  std::uint64_t last_id_ = 0;
  // At most one for each connection, so no limit of its own.
  std::unordered_map<std::uint64_t, std::unique_ptr<Waiting>> waiting_;
};

}  // namespace tenure

#endif  // TENURE_SERVER_LOOP_CALLS_H_
