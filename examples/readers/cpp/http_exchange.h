// One HTTP exchange with a neighbour, over plain sockets, in a given time.
//
// Thread safety: free functions without state.
#ifndef HTTP_EXCHANGE_H_
#define HTTP_EXCHANGE_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

using BootTime = std::chrono::nanoseconds;

inline constexpr std::size_t kLargestAnswer = 64 * 1024;

// CLOCK_BOOTTIME: runs on while the machine is suspended.
BootTime SinceBoot();

// A connected socket that ends with this object.
class Connection {
 public:
  // `address`: the path of a Unix socket, or "127.0.0.1:7421". Sends `request`.
  // Not open() if that failed or took until `deadline`.
  Connection(const std::string& address, const std::string& request,
             BootTime deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool open() const { return fd_ >= 0; }

  enum class Heard { kSomething, kNothing, kEnd };
  // Appends what comes first before `deadline`.
  Heard Read(BootTime deadline, std::string* received);

 private:
  bool Connect(const std::string& address, BootTime deadline);
  bool Wait(short events, BootTime deadline) const;
  void Close();

  int fd_ = -1;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// nullopt: no whole answer before `deadline`, or none that is HTTP. `request`
// asks to close the connection after it.
std::optional<HttpAnswer> HttpExchange(const std::string& address,
                                       const std::string& request,
                                       BootTime deadline);

#endif  // HTTP_EXCHANGE_H_
