// Desk: where every connection of the server gets its answers: the board, the
// clocks, the loop, and the scratch space one thread needs once.
//
// Private to this folder: includes Asio.
// Thread safety: the server's thread only, except where said.
#ifndef TENURE_SERVER_DESK_H_
#define TENURE_SERVER_DESK_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/server/answers.h"
#include "sidecar/server/local_server.h"
#include "sidecar/server/loop_calls.h"
#include "sidecar/server/routes.h"

namespace tenure {

class Desk {
 public:
  using Now = std::function<Moment()>;
  using Metrics = std::function<std::string(const Moment&, bool)>;

  Desk(const LocalServerOptions& options, SnapshotBoard* board, Now now,
       Metrics metrics);

  const LocalServerOptions& options() const { return options_; }
  const std::vector<std::string>& leases() const { return board_->leases(); }

  // Where any one of the leases is enough: the one held now, else the one in
  // doubt, else the first. None where each lease counts.
  std::optional<std::size_t> Slot();

  // Asked for each answer about readiness.
  void SetDisplaced(std::function<std::string()> displaced) {
    displaced_ = std::move(displaced);
  }

  // Until the first beat of the loop, liveness counts from here.
  void NoteStart() { started_ = now_().instant; }

  // The answer as of this call. `said` is what the loop said, for a plan that
  // needs it. Never throws.
  void Compose(const Plan& plan, const ControlReply* said, HttpReply* reply);

  // The event of one lease, as of this call, appended to `out`; what it tells.
  EventNews ComposeEvent(std::size_t lease, std::string* out);

  // What a watcher would be told of now.
  EventNews News(std::size_t lease);
  // How long until time alone changes what the last News told.
  Duration UntilLastChanges() const;

  // What the last Compose saw, in one number; and the same as of now. A reply
  // whose rest could not be sent at once is finished only if they agree.
  std::uint64_t LastMark() const;
  std::uint64_t FreshMark(const std::optional<std::size_t>& lease);

  // Scratch, for the length of one reply.
  HttpReply reply;
  std::string bytes;

 private:
  void Look(const std::optional<std::size_t>& lease);

  const LocalServerOptions options_;
  SnapshotBoard* const board_;
  const Now now_;
  const Metrics metrics_;
  std::function<std::string()> displaced_;
  Instant started_;
  std::vector<std::shared_ptr<const AuthoritySnapshot>> held_;
  std::vector<LeaseSight> leases_seen_;
  Sight sight_;
};

}  // namespace tenure

#endif  // TENURE_SERVER_DESK_H_
