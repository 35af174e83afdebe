// ApiService: the API server and the network before it, in virtual time. It
// carries requests and watch events between nodes and one ApiServerModel for
// each lease, and loses, delays, doubles and garbles them as the world says.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_API_SERVICE_H_
#define TENURE_TESTS_SIM_API_SERVICE_H_

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/api_server_model.h"
#include "tests/sim/scene.h"

namespace tenure::sim {

// Conditions between one node and the API server; chances in permille.
struct Link {
  Duration one_way = std::chrono::milliseconds(1);
  Duration jitter = std::chrono::milliseconds(2);
  bool partitioned = false;
  bool refused = false;
  int request_lost = 0;
  int reply_lost = 0;
  int reset = 0;
  int late = 0;
  int duplicate = 0;
  Duration watch_lag{0};
};

struct ServerState {
  bool down = false;
  int throttled = 0;
  int error = 0;
  int unauthorized = 0;
};

// Who sent a request, for the history.
struct Origin {
  int node = 0;
  int process = 0;
  int lease = 0;
};

// Which acquisitions a lease has seen, in the order the server applied them.
struct AcquiredTerm {
  std::string holder;
  std::int64_t generation = 0;
};

class ApiService {
 public:
  using Reply = std::function<void(Answer)>;
  using EventSink = std::function<void(WatchEvent)>;

  ApiService(Scene* scene, int nodes, int leases);

  Link& link(int node) { return links_[static_cast<std::size_t>(node)]; }
  ServerState& server() { return server_; }
  ApiServerModel& lease(int index) {
    return leases_[static_cast<std::size_t>(index)];
  }

  // `reply` is called at most once; never, if the answer is lost.
  void Send(const Origin& origin, const Request& request, Reply reply);

  // A watch that is open from now on. The sink gets kOpened first; after
  // kClosed or kExpired nothing more.
  std::uint64_t OpenWatch(int node, int lease, const std::string& from,
                          EventSink sink);
  void CloseWatch(std::uint64_t id) { watches_.erase(id); }
  // Every watch of `node` (-1: of all nodes) breaks.
  void BreakWatches(int node);
  bool Reachable(int node);

  // To be called after every change that was not made by Send.
  void TellWatches(int lease);
  void Restore(int lease, const ApiServerModel::Backup& backup, bool bump);

  // The newest term of `lease` with this holder and generation, counted from
  // 1; 0: none.
  int TermOf(int lease, const std::string& holder,
             std::int64_t generation) const;

 private:
  struct Watch {
    int node = 0;
    int lease = 0;
    std::int64_t told = 0;      // revision
    TrueTime last_delivery{0};  // events stay in order
    EventSink sink;
  };
  using Shared = std::shared_ptr<const Request>;

  Duration Trip(const Link& link);
  void Arrive(const Origin& origin, const Shared& request,
              const std::shared_ptr<Reply>& reply);
  Answer Apply(const Origin& origin, const Request& request);
  void Answered(const Origin& origin, Answer answer,
                const std::shared_ptr<Reply>& reply);
  void Deliver(std::uint64_t id, Watch& watch, WatchEvent event);

  Scene* const scene_;
  std::vector<Link> links_;
  ServerState server_;
  std::vector<ApiServerModel> leases_;
  std::vector<std::vector<AcquiredTerm>> terms_;
  // By lease: the revision before the last restore without a bump, until it
  // has passed again.
  std::vector<std::int64_t> recurring_until_;
  std::uint64_t last_watch_ = 0;
  std::map<std::uint64_t, Watch> watches_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_API_SERVICE_H_
