// A command for the tests of `tenure exec`: it stamps the boot clock into a
// file of its own every millisecond, and writes to a store as often, so that
// the last instant at which it ran can be read from outside.
//
//   stamping_child FOLDER STORE [ignore-term] [tree] [hop]
//
// FOLDER/<pid> is an int64 in nanoseconds. STORE is a datagram socket that is
// sent "<generation>"; "" for none. `tree` adds a child, a grandchild in a
// session of its own, and a daemon whose parent has ended. `hop` adds a child
// that forks and ends without pause, each in a session of its own, and stamps
// FOLDER/hop.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::int64_t BootNow() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The file appears with its first stamp in it.
volatile std::int64_t* OpenStamp(const std::string& folder,
                                 const std::string& name) {
  const std::string path = folder + "/" + name;
  const std::string beside = path + ".new";
  const int file = open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  const std::int64_t first = BootNow();
  if (file < 0 || write(file, &first, sizeof first) != sizeof first) abort();
  void* const mapped =
      mmap(nullptr, sizeof first, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED || rename(beside.c_str(), path.c_str()) != 0) {
    abort();
  }
  return static_cast<volatile std::int64_t*>(mapped);
}

int OpenStore(const std::string& path) {
  if (path.empty()) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (connect(made, reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    abort();
  }
  return made;
}

[[noreturn]] void Work(const std::string& folder, const std::string& store) {
  volatile std::int64_t* const stamp =
      OpenStamp(folder, std::to_string(getpid()));
  const int writes = OpenStore(store);
  const char* const given = std::getenv("TENURE_GENERATION");
  const std::string generation = given != nullptr ? given : "";
  const timespec pause{0, 1'000'000};
  while (true) {
    *stamp = BootNow();
    // A store that is full refuses nothing: the next one counts.
    if (writes >= 0 &&
        send(writes, generation.data(), generation.size(), MSG_NOSIGNAL) < 0) {
    }
    nanosleep(&pause, nullptr);
  }
}

void Tree(const std::string& folder, const std::string& store) {
  if (fork() == 0) {    // a child
    if (fork() == 0) {  // its child, in a session of its own
      setsid();
      Work(folder, store);
    }
    Work(folder, store);
  }
  if (fork() == 0) {
    setsid();
    if (fork() == 0) Work(folder, store);  // a daemon
    _exit(0);
  }
}

// Ends by itself some day: nothing else might end it.
[[noreturn]] void Hop(const std::string& folder) {
  constexpr std::int64_t kMost = std::int64_t{40} * 1'000'000'000;
  volatile std::int64_t* const stamp = OpenStamp(folder, "hop");
  for (const std::int64_t end = BootNow() + kMost; BootNow() < end;) {
    *stamp = BootNow();
    if (fork() > 0) _exit(0);
    setsid();
  }
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "ignore-term") == 0) {
      signal(SIGTERM, SIG_IGN);
      signal(SIGHUP, SIG_IGN);
    }
    if (std::strcmp(argv[i], "tree") == 0) Tree(argv[1], argv[2]);
    if (std::strcmp(argv[i], "hop") == 0 && fork() == 0) Hop(argv[1]);
  }
  Work(argv[1], argv[2]);
}
