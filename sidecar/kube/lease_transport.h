// LeaseTransport: reads and writes of one Lease over Beast and OpenSSL, what
// authority rests on. The watch never shares its connections.
//
// Every call carries ?timeout= and an absolute deadline of its own. A server
// that hangs, drips, swallows or half-closes is given up at the limit and the
// socket is reset (linger 0), so that a given-up write is not sent later. No
// replay, no redirects; header and body sizes are capped. An outcome is *not
// sent*, *maybe sent* or *answered* (S5).
//
// Thread safety: the loop thread only.
#ifndef TENURE_KUBE_LEASE_TRANSPORT_H_
#define TENURE_KUBE_LEASE_TRANSPORT_H_

#include <memory>
#include <string>

#include "sidecar/coordinator/lease_store.h"
#include "sidecar/kube/api_access.h"

namespace boost::asio {
class io_context;
}

namespace tenure {

// `access` and `context` must outlive the store.
std::unique_ptr<LeaseStore> NewLeaseTransport(boost::asio::io_context& context,
                                              AccessSource* access,
                                              const std::string& name_space,
                                              const std::string& lease,
                                              const std::string& user_agent);

}  // namespace tenure

#endif  // TENURE_KUBE_LEASE_TRANSPORT_H_
