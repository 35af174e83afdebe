// Scene: a LocalServer in a folder of its own, over a board the test writes,
// with a clock the test sets and a loop that answers as the test says.
#ifndef TENURE_TESTS_UNIT_SERVER_SCENE_H_
#define TENURE_TESTS_UNIT_SERVER_SCENE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/coordinator/control_port.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/server/local_server.h"
#include "tests/unit/server/client.h"
#include "tests/unit/server/snapshots.h"

namespace tenure {

// Keeps every request. Answers at once if there is an answer to give, else
// when the test calls Answer, else never.
class FakeLoop : public ControlPort {
 public:
  void Submit(const ControlRequest& request, Done done) override;

  void AnswerAlways(ControlReply reply);
  // The oldest request not answered yet, on the calling thread.
  void Answer(const ControlReply& reply);
  // Blocks until `count` requests have come; all of them.
  std::vector<ControlRequest> WaitFor(std::size_t count);

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<ControlReply> always_;
  std::vector<ControlRequest> requests_;
  std::vector<Done> waiting_;
};

class Scene {
 public:
  explicit Scene(std::vector<std::string> leases = {"demo"});
  ~Scene();

  LocalServerOptions& options() { return options_; }
  SnapshotBoard& board() { return board_; }
  FakeLoop& loop() { return loop_; }
  LocalServer& server() { return *server_; }
  const std::string& folder() const { return folder_; }
  const std::string& status_socket() const { return options_.status_socket; }
  const std::string& control_socket() const { return options_.control_socket; }

  // Opens and starts; the error if it cannot.
  Result<void> TryStart();
  void Start();
  void Stop() { server_.reset(); }

  void SetNow(Duration after) { now_ = after.count(); }
  // It becomes `after` once the clock has been read `looks` times from now on:
  // the process was stopped in the middle of an answer.
  void SetNowAfterLooks(int looks, Duration after) {
    jump_ = after.count();
    looks_left_ = looks;
  }
  void Publish(AuthoritySnapshot snapshot, std::size_t lease = 0);
  void SetMetrics(std::string text) { metrics_ = std::move(text); }

  Client Status() { return Client::Unix(status_socket()); }
  Client Control() { return Client::Unix(control_socket()); }
  Client StatusTcp() { return Client::Tcp(server_->status_port()); }
  Client Probe() { return Client::Tcp(server_->probe_port()); }

  // A generation asked for on a connection of its own; "" if it is not held.
  std::string Generation();

 private:
  std::string folder_;
  SnapshotBoard board_;
  FakeLoop loop_;
  LocalServerOptions options_;
  Moment Look();

  std::atomic<std::int64_t> now_ = 0;  // ns after kBegin
  std::atomic<std::int64_t> jump_ = 0;
  std::atomic<int> looks_left_ = 0;  // until the jump; 0: none is due
  std::string metrics_ = "# metrics\n";
  std::unique_ptr<LocalServer> server_;
};

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_SERVER_SCENE_H_
