// The default protected store as a process of its own: SQLite behind a Unix
// socket, so that a writer that is stopped holds no lock of the database.
//
// Thread safety: the main thread of its process.
#ifndef TENURE_DRILL_STORE_PROCESS_H_
#define TENURE_DRILL_STORE_PROCESS_H_

#include <string>

namespace tenure {

// Serves until it is killed; an exit code if it cannot.
int RunDrillStore(const std::string& socket, const std::string& file);

}  // namespace tenure

#endif  // TENURE_DRILL_STORE_PROCESS_H_
