// ProcFolder: /proc, as it was when a guard began. What is mounted over it
// later does not count, and a command may mount anything, at any time:
// `unshare --pid` without --mount, and a proc of that namespace, are enough.
//
// Thread safety: any thread.
// Invariants: opened once in a process and its forks, never closed.
#ifndef TENURE_GATE_PROC_FOLDER_H_
#define TENURE_GATE_PROC_FOLDER_H_

#include <dirent.h>

#include <memory>
#include <optional>
#include <string>

namespace tenure {

using OpenedFolder = std::unique_ptr<DIR, int (*)(DIR*)>;

// Whether it shows the processes of this PID namespace. By another's, our
// number may well be somebody else's.
bool ShowsOurNamespace();

// "self/task", or "." for all. Null, and errno, if it cannot be opened.
OpenedFolder OpenProcFolder(const std::string& path);

// Of the file at `path`, its whole text. Nothing, and errno, if it cannot be
// read, as that of a process that is gone.
std::optional<std::string> ReadProcFile(const std::string& path);

}  // namespace tenure

#endif  // TENURE_GATE_PROC_FOLDER_H_
