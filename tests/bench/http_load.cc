// http_load: asks one HTTP/1.1 server the same question over and over on N
// kept connections, each with one request in flight, and prints what it took
// as one JSON object.
//
//   http_load --connections 64 --seconds 5 --url http://127.0.0.1:7421/v1/...
//   http_load --unix /run/tenure/tenure.sock --path /v1/generation
//             --pid 123
//
// --pid: whose CPU time, user and system, is divided by the requests.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Options {
  int connections = 1;
  double seconds = 3;
  std::string host = "127.0.0.1";
  int port = 0;
  std::string unix_path;
  std::string path = "/v1/generation";
  long pid = 0;
};

struct Connection {
  int fd = -1;
  std::int64_t asked_ns = 0;
  std::string received;
};

struct Outcome {
  std::vector<float> latencies_us;
  std::int64_t not_200 = 0;
};

constexpr double kWarmUpSeconds = 0.3;

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "http_load: %s\n", what.c_str());
  std::exit(1);
}

std::int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// User and system time of a process, all threads.
double CpuSeconds(long pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) Die("no process " + std::to_string(pid));
  std::istringstream fields(text.substr(name_end + 2));
  std::string field;
  double ticks = 0;
  for (int i = 3; fields >> field && i <= 15; ++i) {
    if (i == 14 || i == 15) ticks += std::atof(field.c_str());
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void ParseUrl(std::string_view url, Options* options) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) Die("expected --url http://ADDRESS:PORT/PATH");
  url.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(url.find('/'), url.size());
  const std::string_view authority = url.substr(0, slash);
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos) Die("expected a port in --url");
  options->host = authority.substr(0, colon);
  options->port = std::atoi(std::string(authority.substr(colon + 1)).c_str());
  if (slash < url.size()) options->path = url.substr(slash);
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* const value = argv[i + 1];
    if (name == "--connections") {
      options.connections = std::atoi(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else if (name == "--url") {
      ParseUrl(value, &options);
    } else if (name == "--unix") {
      options.unix_path = value;
    } else if (name == "--path") {
      options.path = value;
    } else if (name == "--pid") {
      options.pid = std::atol(value);
    } else {
      Die("unknown option " + std::string(name));
    }
  }
  if (argc % 2 == 0) Die("expected a value for " + std::string(argv[argc - 1]));
  if (options.connections < 1 || options.connections > 10'000) {
    Die("expected --connections 1..10000");
  }
  if (options.port == 0 && options.unix_path.empty()) {
    Die("expected --url or --unix");
  }
  return options;
}

int Connect(const Options& options) {
  int fd = -1;
  int done = -1;
  if (!options.unix_path.empty()) {
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (options.unix_path.size() >= sizeof address.sun_path) Die("long path");
    std::memcpy(address.sun_path, options.unix_path.c_str(),
                options.unix_path.size());
    done = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  } else {
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(options.port));
    if (inet_pton(AF_INET, options.host.c_str(), &address.sin_addr) != 1) {
      Die("expected an IPv4 address in --url");
    }
    done = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (done != 0) Die(std::string("cannot connect: ") + std::strerror(errno));
  return fd;
}

// Whether `reply` is complete; sets its status.
bool Complete(const std::string& reply, int* status) {
  const std::size_t head = reply.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t length = reply.find(kLength);
  if (length == std::string::npos || length > head) Die("no Content-Length");
  const auto body = static_cast<std::size_t>(
      std::atol(reply.c_str() + length + kLength.size()));
  *status = std::atoi(reply.c_str() + 9);
  return reply.size() >= head + 4 + body;
}

void Ask(Connection* connection, const std::string& request) {
  connection->received.clear();
  connection->asked_ns = NowNs();
  const ssize_t sent =
      send(connection->fd, request.data(), request.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(request.size())) Die("cannot send");
}

void Receive(Connection* connection, const std::string& request,
             std::int64_t count_from_ns, Outcome* outcome) {
  std::array<char, 4096> bytes;
  const ssize_t got = recv(connection->fd, bytes.data(), bytes.size(), 0);
  if (got <= 0) Die("the server closed a connection");
  connection->received.append(bytes.data(), static_cast<std::size_t>(got));
  int status = 0;
  if (!Complete(connection->received, &status)) return;
  const std::int64_t now = NowNs();
  if (now >= count_from_ns) {
    outcome->latencies_us.push_back(
        static_cast<float>(now - connection->asked_ns) / 1000.0F);
    if (status != 200) ++outcome->not_200;
  }
  Ask(connection, request);
}

double Percentile(const std::vector<float>& sorted, double part) {
  if (sorted.empty()) return 0;
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(last * part)];
}

void Report(const Options& options, double seconds, double cpu,
            Outcome* outcome) {
  std::vector<float>& all = outcome->latencies_us;
  std::sort(all.begin(), all.end());
  const auto requests = static_cast<double>(all.size());
  std::printf(
      "{\"connections\":%d,\"seconds\":%.3f,\"requests\":%zu,\"not200\":%lld,"
      "\"requestsPerSecond\":%.0f,\"p50Us\":%.1f,\"p99Us\":%.1f,"
      "\"maxUs\":%.1f",
      options.connections, seconds, all.size(),
      static_cast<long long>(outcome->not_200), requests / seconds,
      Percentile(all, 0.5), Percentile(all, 0.99), Percentile(all, 1));
  if (options.pid > 0) {
    std::printf(
        ",\"serverCpuSeconds\":%.2f,\"requestsPerServerCpuSecond\":%.0f", cpu,
        cpu > 0 ? requests / cpu : 0);
  }
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  const std::string request =
      "GET " + options.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  std::vector<Connection> connections(
      static_cast<std::size_t>(options.connections));
  for (Connection& connection : connections) {
    connection.fd = Connect(options);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    epoll_ctl(poll, EPOLL_CTL_ADD, connection.fd, &event);
  }
  Outcome outcome;
  outcome.latencies_us.reserve(1'000'000);
  const std::int64_t begin =
      NowNs() + static_cast<std::int64_t>(kWarmUpSeconds * 1e9);
  const std::int64_t end =
      begin + static_cast<std::int64_t>(options.seconds * 1e9);
  for (Connection& connection : connections) Ask(&connection, request);
  double cpu_before = -1;
  std::array<epoll_event, 256> events;
  std::int64_t now = NowNs();
  for (; now < end; now = NowNs()) {
    if (now >= begin && cpu_before < 0 && options.pid > 0) {
      cpu_before = CpuSeconds(options.pid);
    }
    if (connections.size() == 1) {  // one waits best in recv itself
      Receive(&connections[0], request, begin, &outcome);
      continue;
    }
    const int ready = epoll_wait(poll, events.data(), events.size(), 1000);
    if (ready == 0) Die("no answer for a second");
    for (int i = 0; i < ready; ++i) {
      Receive(static_cast<Connection*>(
                  events[static_cast<std::size_t>(i)].data.ptr),
              request, begin, &outcome);
    }
  }
  const double cpu = options.pid > 0 ? CpuSeconds(options.pid) - cpu_before : 0;
  Report(options, static_cast<double>(now - begin) / 1e9, cpu, &outcome);
  return 0;
}
