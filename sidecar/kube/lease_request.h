// LeaseRequestText: the HTTP requests for one Lease. What does not change from
// one renewal to the next is built once for each access snapshot.
//
// Thread safety: one thread.
#ifndef TENURE_KUBE_LEASE_REQUEST_H_
#define TENURE_KUBE_LEASE_REQUEST_H_

#include <memory>
#include <string>
#include <string_view>

#include "sidecar/base/instant.h"
#include "sidecar/kube/api_access.h"

namespace tenure {

class LeaseRequestText {
 public:
  LeaseRequestText(const std::string& name_space, const std::string& lease,
                   std::string user_agent);

  std::string Get(std::shared_ptr<const ApiAccess> access, Duration limit);
  std::string Put(std::shared_ptr<const ApiAccess> access, Duration limit,
                  std::string_view body);

 private:
  void UseAccess(std::shared_ptr<const ApiAccess> access);
  std::string Head(std::string_view method, Duration limit,
                   std::size_t body_size) const;

  const std::string path_;
  const std::string user_agent_;
  std::shared_ptr<const ApiAccess> access_;  // what the two below are made for
  std::string target_;                       // up to the value of ?timeout=
  std::string headers_;                      // from " HTTP/1.1" on
};

// ?timeout= for an exchange given up after `limit`: a little shorter, so that
// the server's own answer comes first. A Go duration, "1312ms".
std::string ServerTimeout(Duration limit);

}  // namespace tenure

#endif  // TENURE_KUBE_LEASE_REQUEST_H_
