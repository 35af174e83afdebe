#include "sidecar/kube/api_access.h"

namespace tenure {
namespace {

class Fixed : public AccessSource {
 public:
  explicit Fixed(ApiAccess access)
      : access_(std::make_shared<const ApiAccess>(std::move(access))) {}

  std::shared_ptr<const ApiAccess> Current() const override { return access_; }
  void Refresh() override {}

 private:
  const std::shared_ptr<const ApiAccess> access_;
};

}  // namespace

std::unique_ptr<AccessSource> FixedAccess(ApiAccess access) {
  return std::make_unique<Fixed>(std::move(access));
}

}  // namespace tenure
