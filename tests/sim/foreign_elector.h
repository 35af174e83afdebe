// ForeignElector: a client-go elector on the same Lease. It knows nothing of
// generations, compares times cut to whole seconds, allows no drift, and keeps
// or drops our annotations.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_FOREIGN_ELECTOR_H_
#define TENURE_TESTS_SIM_FOREIGN_ELECTOR_H_

#include <cstdint>
#include <optional>

#include "sidecar/authority/lease_record.h"
#include "tests/sim/api_service.h"
#include "tests/sim/scene.h"

namespace tenure::sim {

class ForeignElector {
 public:
  ForeignElector(Scene* scene, ApiService* service, int lease, bool drops)
      : scene_(scene), service_(service), lease_(lease), drops_(drops) {}

  // Contends from now on for `lasts`, then releases or just goes away.
  void Run(Duration lasts);

 private:
  void Try();
  bool MayTake(const LeaseRecord& record);
  void Put(const LeaseRecord& base, bool acquire);
  void Release();

  Scene* const scene_;
  ApiService* const service_;
  const int lease_;
  const bool drops_;
  TrueTime until_{0};
  bool running_ = false;
  bool holds_ = false;
  TrueTime renewed_{0};
  std::optional<LeaseRecord> observed_;
  TrueTime observed_at_{0};
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_FOREIGN_ELECTOR_H_
