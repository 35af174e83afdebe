// Gauges of authority, computed from the board at the moment of the scrape
// (S1). Private to this folder: it names a type of prometheus-cpp.
//
// Thread safety: any thread.
#ifndef TENURE_TELEMETRY_BOARD_GAUGES_H_
#define TENURE_TELEMETRY_BOARD_GAUGES_H_

#include <prometheus/metric_family.h>

#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/coordinator/snapshot_board.h"

namespace tenure {

// `client_go_alias`: leader_election_master_status too.
std::vector<prometheus::MetricFamily> BoardGauges(const SnapshotBoard& board,
                                                  const Moment& now,
                                                  bool client_go_alias);

// The process_* families.
std::vector<prometheus::MetricFamily> ProcessGauges();

}  // namespace tenure

#endif  // TENURE_TELEMETRY_BOARD_GAUGES_H_
