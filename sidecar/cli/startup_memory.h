// StartupMemory: what only starting needed, given back to the machine.
//
// Thread safety: any thread.
#ifndef TENURE_CLI_STARTUP_MEMORY_H_
#define TENURE_CLI_STARTUP_MEMORY_H_

namespace tenure {

// Unmaps the program's own pages that are never written, and the heap's free
// ones. Those still in use come back from the page cache, without reading the
// disk, at their next use; the rest (parsing flags and credentials, the first
// handshake, the verbs that do not run) no longer counts as this process's.
void ReleaseStartupMemory();

}  // namespace tenure

#endif  // TENURE_CLI_STARTUP_MEMORY_H_
