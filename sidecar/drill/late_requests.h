// What reaches the store late: requests of a holder that was followed,
// delivered by the drill itself.
//
// Thread safety: that of Stage.
#ifndef TENURE_DRILL_LATE_REQUESTS_H_
#define TENURE_DRILL_LATE_REQUESTS_H_

#include <cstdint>
#include <string>

#include "sidecar/drill/stage.h"

namespace tenure {

struct Late {
  std::string who;
  std::int64_t generation = 0;
  std::string holder;
};

// A write that was held up on its way. Its id.
std::string DeliverLate(Stage* stage, const Late& late);

// Whatever else the holder of the write `stale_id` may have sent: a raise,
// which must not let the token fall; and a write under a number with a digit
// less, which is higher if a store compares text. Then what the store holds,
// which tells if it did what it refused. Judge says what comes of it.
void DeliverTheRest(Stage* stage, const std::string& stale_id);

}  // namespace tenure

#endif  // TENURE_DRILL_LATE_REQUESTS_H_
