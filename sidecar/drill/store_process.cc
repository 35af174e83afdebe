#include "sidecar/drill/store_process.h"

#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sidecar/drill/line_stream.h"
#include "sidecar/drill/sqlite_store.h"
#include "sidecar/drill/store_message.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxClients = 32;
// A client that does not take its answer is cut off.
constexpr Duration kAnswering = std::chrono::milliseconds(100);
constexpr int kCannotServe = 69;

std::string AnswerTo(SqliteStore* store, const std::string& line) {
  const Result<StoreRequest> request = ReadRequestLine(line);
  if (request) return AnswerLine(store->Answer(*request));
  StoreAnswer wrong;
  wrong.result = StoreAnswer::Result::kError;
  wrong.error = request.error().message;
  return AnswerLine(wrong);
}

void Accept(int listener, std::vector<LineStream>* clients) {
  Descriptor made(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (made.get() >= 0 && clients->size() < kMaxClients) {
    clients->emplace_back(std::move(made));
  }
}

}  // namespace

int RunDrillStore(const std::string& socket, const std::string& file) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  std::signal(SIGPIPE, SIG_IGN);
  auto store = SqliteStore::Open(file);
  const auto listener = ListenAt(socket);
  if (!store || !listener) {
    std::fprintf(stderr, "tenure: %s\n",
                 (!store ? store.error() : listener.error()).message.c_str());
    return kCannotServe;
  }
  std::puts("ready");
  std::fflush(stdout);
  std::vector<LineStream> clients;
  while (true) {
    std::vector<pollfd> fds = {{listener->get(), POLLIN, 0}};
    for (const LineStream& client : clients) {
      fds.push_back({client.fd(), POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), -1);
    if (fds[0].revents != 0) Accept(listener->get(), &clients);
    for (LineStream& client : clients) {
      while (const auto line = client.Take()) {
        std::ignore = client.Write(AnswerTo(&*store, *line), kAnswering);
      }
    }
    std::erase_if(clients, [](const LineStream& c) { return c.fd() < 0; });
  }
}

}  // namespace tenure
