// Connection: reads requests off one socket and answers them in order.
//
// Private to this folder: includes Asio.
// Thread safety: the server's thread only.
// Invariants: an answer is computed when its bytes can leave (S1): while an
// earlier reply still waits for the socket no later request is answered, one
// that time overtook is computed again before it leaves, and so is one of which
// no byte could be sent. Nothing is allocated
// for an ordinary request.
#ifndef TENURE_SERVER_CONNECTION_H_
#define TENURE_SERVER_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/server/desk.h"
#include "sidecar/server/event_stream.h"
#include "sidecar/server/request_parser.h"
#include "sidecar/server/routes.h"
#include "sidecar/server/session.h"

namespace tenure {

class Connection : public Session {
 public:
  Connection(Desk* desk, LoopCalls* calls, EventStreams* streams,
             SessionSet* sessions, Surface surface, Socket socket, Peer peer);

  void Start() override;
  void Close() override;
  bool Overdue(std::uint64_t tick) const override;
  void OnOverdue() override;

 private:
  enum class Phase {
    kReading,    // a request, or for one to begin
    kAsking,     // the loop
    kBlocked,    // no byte of the reply could be sent
    kFinishing,  // a part of the reply is sent
    kLingering,  // after a refusal: reading to throw away
    kClosed,
  };

  std::shared_ptr<Connection> Self();
  void SetDeadline(Duration wait);

  void Read();
  bool MakeRoom();
  bool ServeBuffered();
  bool Handle();
  void Refuse(int status, const char* message);
  void SendContinue();

  void AskLoop();
  bool StartStream();
  void ComposeReply();
  bool Respond();
  void NoteReplied(int status);
  void WaitReadable();
  void WaitWritable();
  void OnWritable();
  void FinishReply();
  bool EndRequest();
  void Resume();
  void Linger();
  void ReadLinger();

  Desk* const desk_;
  LoopCalls* const calls_;
  EventStreams* const streams_;
  SessionSet* const sessions_;
  const Surface surface_;
  const Peer peer_;
  Socket socket_;

  Phase phase_ = Phase::kReading;
  std::uint64_t deadline_ = 0;  // tick; not while kAsking

  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is not parsed yet
  std::size_t end_ = 0;
  RequestParser parser_;
  HttpRequest request_;
  bool in_request_ = false;  // its first byte was read
  bool continued_ = false;   // 100 was sent

  // The request being answered.
  std::expected<Plan, HttpReply> plan_;
  std::optional<ControlReply> said_;
  // A work was registered, and no byte of a yes has left yet.
  bool work_unconfirmed_ = false;
  bool close_after_ = false;
  bool linger_after_ = false;
  std::string unsent_;
  std::uint64_t unsent_mark_ = 0;
  std::size_t lingered_ = 0;
};

}  // namespace tenure

#endif  // TENURE_SERVER_CONNECTION_H_
