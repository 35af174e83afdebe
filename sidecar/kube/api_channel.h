// ApiChannel: one exchange at a time with the API server, each with an
// absolute deadline of its own, over one kept connection that is replaced when
// it is stale, worn or of older TLS material. Private to sidecar/kube, because
// it includes Asio.
//
// A request is sent once (S5). Before its first byte left, another address or
// a fresh connection may be tried; after it never. A given-up exchange resets
// its socket, so that its request is not sent later.
//
// Thread safety: the loop thread only.
// Invariants: `done` is called exactly once, never from inside Exchange, and
// never after destruction.
#ifndef TENURE_KUBE_API_CHANNEL_H_
#define TENURE_KUBE_API_CHANNEL_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sidecar/base/prng.h"
#include "sidecar/kube/api_access.h"
#include "sidecar/kube/api_connection.h"
#include "sidecar/kube/http_outcome.h"

namespace tenure {

// The parsed TLS material of the newest tls_serial, shared by the channels.
class TlsMaterial {
 public:
  // Null for plain http.
  Result<std::shared_ptr<const TlsContext>> For(const ApiAccess& access);

 private:
  std::shared_ptr<const TlsContext> context_;
  std::uint64_t serial_ = 0;
};

// A connection is replaced, between exchanges, at a random age from `youngest`
// on, so that clients spread over the API servers again after a restart.
struct ConnectionAge {
  std::chrono::milliseconds youngest{5 * 60'000};
  std::chrono::milliseconds spread{5 * 60'000};
};

class ApiChannel : public std::enable_shared_from_this<ApiChannel> {
 public:
  using Done = std::function<void(HttpOutcome)>;

  ApiChannel(boost::asio::io_context& context, AccessSource* access,
             std::shared_ptr<TlsMaterial> tls, std::uint64_t jitter_seed,
             const ConnectionAge& age = {});

  // `text` is the whole request, made for `access`.
  // REQUIRES: no exchange in progress.
  void Exchange(std::shared_ptr<const ApiAccess> access, std::string text,
                Duration limit, Done done);
  bool busy() const { return done_ != nullptr; }

  // Resets whatever is in progress, silently; no call comes afterwards.
  void Close();

 private:
  void DropUnfitConnection();
  void OpenNext();
  void OnOpened(const std::string& error);
  void Send();
  void OnAnswered(HttpOutcome outcome);
  void OnDeadline();
  void OnAttemptDeadline();
  void Finish(HttpOutcome outcome);
  void FailUnsent(const std::string& why);
  void StartAging();

  boost::asio::io_context& context_;
  AccessSource* const source_;
  const std::shared_ptr<TlsMaterial> tls_;
  Prng jitter_;
  const ConnectionAge wears_at_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer attempt_timer_;
  boost::asio::steady_timer age_;
  std::shared_ptr<ApiConnection> connection_;
  bool worn_ = false;
  bool reusing_ = false;          // the connection is from before this exchange
  std::size_t next_address_ = 0;  // rotates after a failure

  // Of the exchange in progress.
  std::shared_ptr<const ApiAccess> access_;
  std::string text_;
  Duration limit_{0};
  Duration attempt_limit_{0};
  std::size_t attempts_left_ = 0;
  // Which exchange and attempt a timer was set for.
  std::uint64_t exchange_ = 0;
  std::uint64_t attempt_ = 0;
  std::string last_error_;
  Done done_;
};

}  // namespace tenure

#endif  // TENURE_KUBE_API_CHANNEL_H_
