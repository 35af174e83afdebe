// SimStore and SimWatch: the production driver's ports, on ApiService. Every
// callback goes through the node, so that a frozen or dead process hears
// nothing.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_PORTS_H_
#define TENURE_TESTS_SIM_PORTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/coordinator/lease_store.h"
#include "sidecar/coordinator/lease_watch.h"
#include "tests/sim/api_service.h"

namespace tenure::sim {

class SimNode;

class SimStore : public LeaseStore {
 public:
  SimStore(Scene* scene, ApiService* service, SimNode* node, Origin origin)
      : scene_(scene), service_(service), node_(node), origin_(origin) {}

  void Start(const Request& request, Done done) override;
  void ReadFresh(Duration limit, FreshDone done) override;

 private:
  struct InFlight {
    std::uint64_t id = 0;
    Instant started;
    Done done;
  };

  void Record(const Request& request);
  void Finish(std::uint64_t id, Answer&& answer);
  void FinishFresh(std::uint64_t id, Answer&& answer);

  Scene* const scene_;
  ApiService* const service_;
  SimNode* const node_;
  const Origin origin_;
  std::optional<InFlight> in_flight_;
  std::uint64_t last_fresh_ = 0;
  FreshDone fresh_;
};

class SimWatch : public LeaseWatch {
 public:
  SimWatch(Scene* scene, ApiService* service, SimNode* node, Origin origin,
           bool allowed)
      : scene_(scene),
        service_(service),
        node_(node),
        origin_(origin),
        allowed_(allowed) {}
  ~SimWatch() override { Stop(); }

  void Start(std::string resource_version, Sink sink) override;
  void Stop() override;

 private:
  void Open(std::uint64_t epoch);
  void OpenIn(Duration delay, std::uint64_t epoch);
  void Take(std::uint64_t epoch, const ApiService::Event& event);

  Scene* const scene_;
  ApiService* const service_;
  SimNode* const node_;
  const Origin origin_;
  const bool allowed_;
  std::uint64_t epoch_ = 0;  // moves with each Start and Stop
  std::uint64_t open_ = 0;   // the service's watch; 0: none
  std::string from_;
  Sink sink_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_PORTS_H_
