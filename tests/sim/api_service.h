// ApiService: the API server and the network before it, in virtual time. It
// carries requests and watch events between nodes and one ApiServerModel for
// each lease, and loses, delays, doubles and garbles them as the world says.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_API_SERVICE_H_
#define TENURE_TESTS_SIM_API_SERVICE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  bool half_open = false;
  int request_lost = 0;
  int reply_lost = 0;
  int reset = 0;
  int late = 0;
  int duplicate = 0;
  Duration watch_lag{0};
};

inline constexpr std::size_t kReplicas = 3;

struct ServerState {
  bool down = false;
  Duration storage{0};                    // the longest wait of a write
  std::array<Duration, kReplicas> lag{};  // of reads and watch events
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
  struct Exchange;
  using Sent = std::shared_ptr<Exchange>;
  using Reply = std::function<void(const Sent&)>;
  using Event = std::shared_ptr<const WatchEvent>;
  using EventSink = std::function<void(const Event&)>;

  // One request on its way, and its answer on the way back.
  struct Exchange {
    Exchange(const Origin& from, const Request& what, Reply to)
        : origin(from), request(what), reply(std::move(to)) {}
    Origin origin;
    Request request;
    Reply reply;  // null: nobody hears it
    Answer answer;
    std::uint64_t number = 0;      // in the order of sending
    bool stored = false;           // has waited for the storage
    std::optional<Fault> unheard;  // why nobody hears it
  };

  ApiService(Scene* scene, int nodes, int leases);

  Link& link(int node) { return links_[static_cast<std::size_t>(node)]; }
  ServerState& server() { return server_; }
  ApiServerModel& lease(int index) {
    return leases_[static_cast<std::size_t>(index)];
  }

  // `reply` is called at most once, with the answer in what it gets, which it
  // may move away; never, if the answer is lost.
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
  // What the lease was, newest last; bounded.
  struct Past {
    TrueTime at{0};
    Event event;
  };

  Duration Trip(const Link& link);
  // How far behind the replica is that serves this node.
  Duration Lag(int node) const;
  Answer Read(int node, int lease);
  void Remember(int lease);
  static Sent Unheard(const Exchange& sent, Fault why);
  void CountFor(const Exchange& sent, Fault fault);
  void ArriveIn(Duration delay, Sent sent);
  void AnswerIn(Duration delay, const Sent& sent, Answer answer);
  void Arrive(const Sent& sent);
  Answer Apply(const Origin& origin, const Request& request);
  void Answered(const Sent& sent, Answer answer);
  void Deliver(std::uint64_t id, Watch& watch, Event event);

  Scene* const scene_;
  std::vector<Link> links_;
  ServerState server_;
  std::vector<std::size_t> replica_;  // by node
  std::uint64_t last_number_ = 0;
  std::vector<std::uint64_t> newest_arrived_;  // by node
  std::vector<ApiServerModel> leases_;
  std::vector<std::deque<Past>> past_;
  std::vector<std::vector<AcquiredTerm>> terms_;
  // By lease: the revision before the last restore without a bump, until it
  // has passed again.
  std::vector<std::int64_t> recurring_until_;
  std::uint64_t last_watch_ = 0;
  std::map<std::uint64_t, Watch> watches_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_API_SERVICE_H_
