// Session: one accepted socket and what is being done with it. A listener
// counts its sessions and ends those that wait too long.
//
// Private to this folder: includes Asio.
// Thread safety: the server's thread only.
#ifndef TENURE_SERVER_SESSION_H_
#define TENURE_SERVER_SESSION_H_

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "sidecar/base/instant.h"
#include "sidecar/server/routes.h"

namespace tenure {

// TCP and Unix sockets alike. The concrete executor spares a virtual call for
// each operation.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol,
                                     boost::asio::io_context::executor_type>;

// What the kernel says about the process at the other end of a Unix socket.
struct Peer {
  std::int64_t pid = 0;
  std::int64_t uid = -1;
  std::int64_t gid = -1;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  virtual ~Session() = default;

  virtual void Start() = 0;
  // Closes the socket; handlers that still come do nothing.
  virtual void Close() = 0;
  // Whether it has waited too long at `tick`, counted in sweeps.
  virtual bool Overdue(std::uint64_t tick) const = 0;
  // What is done about that; it may go on for a last reply.
  virtual void OnOverdue() = 0;
};

// The sessions of one listener, and its count of sweeps.
class SessionSet {
 public:
  void Add(std::shared_ptr<Session> session) {
    Session* const key = session.get();
    sessions_.emplace(key, std::move(session));
  }
  void Remove(Session* session) { sessions_.erase(session); }
  // `to` takes the place of `from`, which has given its socket away.
  void Replace(Session* from, std::shared_ptr<Session> to) {
    Remove(from);
    Add(std::move(to));
  }
  std::size_t size() const { return sessions_.size(); }

  std::uint64_t tick() const { return tick_; }
  void Sweep();
  void CloseAll();

 private:
  std::uint64_t tick_ = 0;
  std::unordered_map<Session*, std::shared_ptr<Session>> sessions_;
};

}  // namespace tenure

#endif  // TENURE_SERVER_SESSION_H_
