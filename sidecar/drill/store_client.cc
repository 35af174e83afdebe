#include "sidecar/drill/store_client.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tenure {
namespace {

std::string SchemeOf(const std::string& url) {
  const std::string scheme = url.substr(0, url.find(':'));
  const bool fine = url.find(':') != std::string::npos && !scheme.empty() &&
                    std::ranges::all_of(scheme, [](unsigned char c) {
                      return std::islower(c) != 0 || std::isdigit(c) != 0 ||
                             c == '+' || c == '-';
                    });
  return fine ? scheme : std::string();
}

std::vector<std::string> Split(const std::string& path) {
  std::vector<std::string> folders;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) folders.push_back(part);
  }
  return folders;
}

}  // namespace

Result<StoreTarget> FindStore(const std::string& url,
                              const std::vector<std::string>& folders,
                              const std::string& path) {
  const std::string scheme = SchemeOf(url);
  if (scheme.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "expected a URL such as redis://127.0.0.1:6379, found \"" + url + "\"");
  }
  const std::string name = "tenure-store-" + scheme;
  std::vector<std::string> all = folders;
  for (std::string& folder : Split(path)) all.push_back(std::move(folder));
  for (const std::string& folder : all) {
    std::string program = folder;
    program += "/" + name;
    if (::access(program.c_str(), X_OK) == 0)
      return StoreTarget{"", program, url};
  }
  return Fail(ErrorCode::kInvalidArgument,
              "expected a program " + name +
                  " in a --store-path or in PATH, found none; "
                  "examples/fences has some");
}

StoreAnswer StoreClient::Ask(const StoreRequest& request, Duration limit) {
  const auto unknown = [this](const std::string& why) {
    Close();
    StoreAnswer answer;
    answer.error =
        (target_.program.empty() ? "the store" : target_.program) + ": " + why;
    return answer;
  };
  if (stream_.fd() < 0) {
    if (const auto ok = Open(); !ok) return unknown(ok.error().message);
  }
  const auto sent = stream_.Write(RequestLine(request), limit);
  if (!sent) return unknown(sent.error().message);
  const auto line = stream_.Read(limit);
  if (!line) return unknown(line.error().message);
  Result<StoreAnswer> answer = ReadAnswerLine(*line);
  if (!answer) return unknown(answer.error().message);
  return *std::move(answer);
}

Result<void> StoreClient::Open() {
  Close();
  if (target_.socket.empty()) return StartProgram();
  Result<LineStream> made = LineStream::Connect(target_.socket);
  if (!made) return std::unexpected(made.error());
  stream_ = *std::move(made);
  return {};
}

Result<void> StoreClient::StartProgram() {
  std::array<int, 2> to{-1, -1};
  std::array<int, 2> from{-1, -1};
  const bool piped = ::pipe2(to.data(), O_CLOEXEC) == 0 &&
                     ::pipe2(from.data(), O_CLOEXEC) == 0;
  Descriptor child_in(to[0]);
  Descriptor our_out(to[1]);
  Descriptor our_in(from[0]);
  Descriptor child_out(from[1]);
  const pid_t parent = ::getpid();
  pid_ = piped ? ::fork() : -1;
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(125);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    std::signal(SIGPIPE, SIG_DFL);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    std::signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(child_in.get(), STDIN_FILENO);
    ::dup2(child_out.get(), STDOUT_FILENO);
    ::execl(target_.program.c_str(), target_.program.c_str(),
            target_.url.c_str(), nullptr);
    ::_exit(127);
  }
  if (pid_ < 0) {
    pid_ = 0;
    return Fail(ErrorCode::kUnavailable,
                "expected to start a process, found: " +
                    std::system_category().message(errno));
  }
  stream_ = LineStream(std::move(our_in), std::move(our_out));
  return {};
}

void StoreClient::Close() {
  stream_.Close();
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace tenure
