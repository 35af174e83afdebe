// The forms in which a Lease leaves the server: whole, as a row of a Table
// (what `kubectl get` prints), or its metadata alone; and the lists of each.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_LEASE_VIEWS_H_
#define TENURE_EMBEDDED_LEASE_VIEWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_table.h"

namespace tenure::embedded {

enum class Form { kObject, kTable, kMetadata };
enum class RowObject { kMetadata, kWhole, kNone };  // ?includeObject=

struct View {
  Form form = Form::kObject;
  RowObject row_object = RowObject::kMetadata;
};

// From the Accept header. Errors: 406, or 400 for a bad includeObject.
ApiResult<View> ChooseView(const std::string& accept,
                           const std::string& include_object);

struct ListMetadata {
  std::uint64_t resource_version = 0;
  std::string continue_token;
  std::size_t remaining = 0;
};

// Documents. `now` is for the AGE column. Column definitions are left out of
// all but the first Table of a watch.
std::string RenderLease(const LeaseVersion& lease, const View& view,
                        WallTime now, bool with_columns = true);
std::string RenderList(const std::vector<LeaseVersion>& leases,
                       const ListMetadata& metadata, const View& view,
                       WallTime now);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_VIEWS_H_
