#include "sidecar/gate/how_to_reach.h"

#include <string>
#include <system_error>

namespace tenure {

std::string HowToReach(const std::error_code& error, const std::string& flag) {
  if (flag.empty()) return "";
  if (error == std::errc::permission_denied ||
      error == std::errc::operation_not_permitted) {
    return "; run this as the sidecar's user, or as one whom its socket lets "
           "in";
  }
  if (error != std::errc::no_such_file_or_directory &&
      error != std::errc::connection_refused) {
    return "";
  }
  return "; start `tenure run`, with --embedded where there is no cluster, as "
         "the same user, or say where it listens with " +
         flag;
}

}  // namespace tenure
