// Listener: accepts on one socket, within its limit of connections.
//
// Private to this folder: includes Asio.
// Thread safety: the server's thread only, after construction.
// Invariants: never spins: without a descriptor to spare it pauses; no timer
// runs while nobody is connected; what it refuses is told once, however often.
#ifndef TENURE_SERVER_LISTENER_H_
#define TENURE_SERVER_LISTENER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string>

#include "sidecar/server/desk.h"
#include "sidecar/server/event_stream.h"
#include "sidecar/server/listening_socket.h"
#include "sidecar/server/loop_calls.h"
#include "sidecar/server/session.h"

namespace tenure {

class Listener {
 public:
  Listener(boost::asio::io_context* context, Desk* desk, LoopCalls* calls,
           EventStreams* streams, Surface surface, ListeningSocket socket);

  void Start();
  void Stop();  // ends its connections too; no handler of it stays
  std::size_t connections() const { return sessions_.size(); }
  // "" while its socket is where readers look for it; else a line that says
  // which is not, once to the log as well.
  std::string Displaced();

 private:
  void Wait();
  void Accept();
  void Pause();
  void Admit(int fd);
  void TellOnce(bool* told, const std::string& why);
  void ArmSweep();

  boost::asio::io_context* const context_;
  Desk* const desk_;
  LoopCalls* const calls_;
  EventStreams* const streams_;
  const Surface surface_;
  ListeningSocket socket_;  // its descriptor is acceptor_'s
  const int family_;
  boost::asio::posix::stream_descriptor acceptor_;
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer sweep_;
  bool sweeping_ = false;
  bool told_full_ = false;
  bool told_starved_ = false;
  bool told_displaced_ = false;
  SessionSet sessions_;
};

}  // namespace tenure

#endif  // TENURE_SERVER_LISTENER_H_
