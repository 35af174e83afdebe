// delete and deletecollection.
//
// Thread safety: the table's.
#ifndef TENURE_EMBEDDED_LEASE_DELETES_H_
#define TENURE_EMBEDDED_LEASE_DELETES_H_

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"

namespace tenure::embedded {

ApiResult<ApiResponse> DeleteLease(LeaseTable& table, const ApiRequest& request,
                                   const ApiRoute& route, const View& view,
                                   WallTime now);

ApiResult<ApiResponse> DeleteLeases(LeaseTable& table,
                                    const ApiRequest& request,
                                    const ApiRoute& route, const View& view,
                                    WallTime now);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_DELETES_H_
