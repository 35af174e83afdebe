// create, update and patch: how each changes the
// table, in kube-apiserver's order of checks.
//
// Thread safety: the table's.
#ifndef TENURE_EMBEDDED_LEASE_WRITES_H_
#define TENURE_EMBEDDED_LEASE_WRITES_H_

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"

namespace tenure::embedded {

constexpr std::size_t kMaxObjectBytes = 1'536 * 1024;  // etcd's request limit

struct WriteRequest {
  const ApiRequest& request;
  const ApiRoute& route;
  const View& view;
  const RequestContext& context;
};

ApiResult<ApiResponse> CreateLease(LeaseTable& table, const WriteRequest& in);
ApiResult<ApiResponse> UpdateLease(LeaseTable& table, const WriteRequest& in);
ApiResult<ApiResponse> PatchLease(LeaseTable& table, const WriteRequest& in);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_WRITES_H_
