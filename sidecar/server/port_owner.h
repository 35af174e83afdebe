// Who listens on a TCP port of this machine, as far as /proc tells.
//
// Thread safety: any thread.
#ifndef TENURE_SERVER_PORT_OWNER_H_
#define TENURE_SERVER_PORT_OWNER_H_

#include <cstdint>
#include <string>

namespace tenure {

// "process 123 (nginx)" or "a process of user 1000"; empty if unknown.
std::string PortOwner(std::uint16_t port);

// "process 123 (nginx)"; "process 123" if its name is unknown.
std::string ProcessName(long pid);

}  // namespace tenure

#endif  // TENURE_SERVER_PORT_OWNER_H_
