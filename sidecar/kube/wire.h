// Wire: the bytes of one non-blocking socket, plain or under TLS, counted.
//
// Thread safety: one thread.
// Invariants: never blocks, never raises SIGPIPE; does not own the socket.
#ifndef TENURE_KUBE_WIRE_H_
#define TENURE_KUBE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sidecar/base/instant.h"
#include "sidecar/kube/tls_session.h"

namespace tenure {

// A socket that is not inherited by children, does not block, sends at once,
// notices a silent peer, and gives up bytes that stay unacknowledged for
// `patience`. -1 and errno if there is none.
int NewWireSocket(int family, Duration patience);

class Wire {
 public:
  void Attach(int fd) { fd_ = fd; }
  // Everything from now on, beginning with Handshake, is under TLS.
  void StartTls(std::shared_ptr<const TlsContext> context);

  IoResult Handshake();
  IoResult Write(std::string_view data);
  IoResult Read(char* data, std::size_t size);

  // No data and no end of the stream are waiting to be read.
  bool Quiet();
  // Tells a TLS peer that nothing more comes.
  void SayGoodbye();

  // Bytes handed to the kernel so far.
  std::uint64_t bytes_out() const;
  // Why the last step ended in kFailed or kClosed, in words.
  const std::string& failure() const { return failure_; }

 private:
  IoResult Keep(IoResult result);

  int fd_ = -1;
  std::unique_ptr<TlsSession> tls_;
  std::uint64_t plain_out_ = 0;
  std::string failure_;
};

}  // namespace tenure

#endif  // TENURE_KUBE_WIRE_H_
