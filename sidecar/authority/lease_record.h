// LeaseRecord: our decoded copy of a Lease object.
//
// The codec (sidecar/kube) makes one from what the API server sent; the core
// compares records and never sees JSON. `document` is the object as received:
// the core hands it back with each write so that everything it does not
// understand is preserved (S11).
//
// Thread safety: values.
#ifndef TENURE_AUTHORITY_LEASE_RECORD_H_
#define TENURE_AUTHORITY_LEASE_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/authority/run_id.h"
#include "sidecar/base/instant.h"

namespace tenure {

// Annotations of ours on the Lease.
inline constexpr char kGenerationAnnotation[] = "tenure.dev/generation";
inline constexpr char kWriteAnnotation[] = "tenure.dev/write";
inline constexpr char kLastRunAnnotation[] = "tenure.dev/last-run-id";
inline constexpr char kLastRunOrderAnnotation[] = "tenure.dev/last-run-order";

struct LeaseRecord {
  std::string uid;
  std::string resource_version;  // decimal, compared as a number
  std::string holder;            // empty: nobody
  std::optional<std::int32_t> duration_seconds;
  std::optional<WallTime> acquire_time;
  std::optional<WallTime> renew_time;
  std::optional<std::int32_t> transitions;
  std::optional<std::string> generation;  // the annotation as found, unparsed
  std::string write;                      // the annotation; see WriteMark
  LastRun last_run;                       // the annotations as found
  std::string document;                   // the object as received
  // Why the object could not be decoded; empty if it was. A record that could
  // not is treated as held by an unknown holder (S9).
  std::string unreadable;
};

// What counts as a change of the record for a waiting contender (S9): a
// relabelling, which moves only the resource version, does not.
bool Changed(const LeaseRecord& before, const LeaseRecord& after);

// The release form, ours and client-go's: free at once (S9).
bool IsReleased(const LeaseRecord& record);

// The value of kWriteAnnotation: who wrote, and 128 fresh random bits that
// tell which write it was (S5). "<identity>:<32 hex digits>".
std::string WriteMark(const std::string& identity, const Entropy& entropy);

// Whether the record's last Tenure write was by its present holder; only then
// is the generation annotation the holder's own (a foreign elector keeps or
// drops our annotations without raising them).
bool WrittenByHolder(const LeaseRecord& record);

}  // namespace tenure

#endif  // TENURE_AUTHORITY_LEASE_RECORD_H_
