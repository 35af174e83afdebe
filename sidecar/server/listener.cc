#include "sidecar/server/listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "sidecar/server/connection.h"
#include "sidecar/server/http_message.h"

namespace tenure {
namespace {

using SysError = boost::system::error_code;

// Accepts before connections get their turn.
constexpr int kAcceptsBeforeYield = 32;

const char* NameOf(Surface surface) {
  switch (surface) {
    case Surface::kStatusUnix:
      return "the status socket";
    case Surface::kStatusTcp:
      return "the status port";
    case Surface::kControl:
      return "the control socket";
    case Surface::kProbe:
      return "the probe port";
  }
  return "";
}

int FamilyOf(int fd) {
  int family = AF_UNIX;
  socklen_t size = sizeof family;
  static_cast<void>(getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size));
  return family;
}

Peer PeerOf(int fd) {
  ucred found{};
  socklen_t size = sizeof found;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) return {};
  return {found.pid, found.uid, found.gid};
}

// One reply, as far as it goes without waiting.
void TurnAway(int fd, int limit) {
  HttpReply reply;
  SetError(503, false,
           "expected at most " + std::to_string(limit) +
               " connections, found as many; close some",
           &reply);
  std::string bytes;
  Serialize(reply, true, false, true, &bytes);
  std::array<char, 4096> ignored;
  // Read first: closing with unread bytes would reset the connection.
  static_cast<void>(recv(fd, ignored.data(), ignored.size(), MSG_DONTWAIT));
  static_cast<void>(
      send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  shutdown(fd, SHUT_WR);
  close(fd);
}

}  // namespace

Listener::Listener(boost::asio::io_context* context, Desk* desk,
                   LoopCalls* calls, EventStreams* streams, Surface surface,
                   ListeningSocket socket)
    : context_(context),
      desk_(desk),
      calls_(calls),
      streams_(streams),
      surface_(surface),
      socket_(std::move(socket)),
      family_(FamilyOf(socket_.fd())),
      acceptor_(*context, socket_.ReleaseFd()),
      pause_(*context),
      sweep_(*context) {}

void Listener::Start() { Accept(); }

void Listener::Stop() {
  SysError ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  sweep_.cancel();
  sessions_.CloseAll();
}

void Listener::Wait() {
  acceptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const SysError& error) {
                         if (!error && acceptor_.is_open()) Accept();
                       });
}

void Listener::Accept() {
  for (int i = 0; i < kAcceptsBeforeYield; ++i) {
    const int fd = accept4(acceptor_.native_handle(), nullptr, nullptr,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Admit(fd);
      continue;
    }
    switch (errno) {
      case EAGAIN:
        Wait();
        return;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        Pause();
        return;
      default:
        break;  // of that one connection only
    }
  }
  boost::asio::post(*context_, [this] {
    if (acceptor_.is_open()) Accept();
  });
}

void Listener::TellOnce(bool* told, const std::string& why) {
  if (*told) return;
  *told = true;
  const auto& tell = desk_->options().on_refusal;
  if (tell) tell(why);
}

std::string Listener::Displaced() {
  if (socket_.InPlace()) {
    told_displaced_ = false;
    return "";
  }
  std::string why = std::string(NameOf(surface_)) + " " + socket_.path() +
                    " was removed or replaced, and nobody new reaches this "
                    "sidecar by it; restart its container";
  TellOnce(&told_displaced_, why);
  return why;
}

void Listener::Pause() {
  TellOnce(&told_starved_,
           std::string("expected a file descriptor for a reader of ") +
               NameOf(surface_) +
               ", found none left; raise the limit of open files");
  pause_.expires_after(desk_->options().waits.accept_retry);
  pause_.async_wait([this](const SysError& error) {
    if (!error && acceptor_.is_open()) Accept();
  });
}

void Listener::Admit(int fd) {
  const int limit = desk_->options().max_connections;
  if (sessions_.size() >= static_cast<std::size_t>(limit)) {
    TurnAway(fd, limit);
    TellOnce(&told_full_,
             "expected at most " + std::to_string(limit) + " connections to " +
                 NameOf(surface_) +
                 ", found more; close some, or raise the limit of open files "
                 "if it is low");
    return;
  }
  Socket socket(context_->get_executor());
  SysError error;
  socket.assign(boost::asio::generic::stream_protocol(family_, 0), fd, error);
  if (error) {
    close(fd);
    return;
  }
  socket.non_blocking(true, error);
  auto connection = std::make_shared<Connection>(
      desk_, calls_, streams_, &sessions_, surface_, std::move(socket),
      surface_ == Surface::kControl ? PeerOf(fd) : Peer{});
  sessions_.Add(connection);
  connection->Start();
  if (!sweeping_) ArmSweep();
}

void Listener::ArmSweep() {
  sweeping_ = sessions_.size() > 0;
  if (!sweeping_) return;
  sweep_.expires_after(desk_->options().waits.sweep);
  sweep_.async_wait([this](const SysError& error) {
    if (error || !acceptor_.is_open()) return;
    sessions_.Sweep();
    ArmSweep();
  });
}

}  // namespace tenure
