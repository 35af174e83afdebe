#include "tests/unit/server/scene.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace tenure {
namespace {

std::string NewFolder() {
  std::string folder = "/tmp/tenure-server-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder;
}

}  // namespace

void FakeLoop::Submit(const ControlRequest& request, Done done) {
  std::optional<ControlReply> reply;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    reply = always_;
    if (!reply) waiting_.push_back(std::move(done));
  }
  came_.notify_all();
  if (reply) done(*reply);
}

void FakeLoop::AnswerAlways(ControlReply reply) {
  const std::lock_guard lock(mutex_);
  always_ = std::move(reply);
}

void FakeLoop::Answer(const ControlReply& reply) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    ASSERT_FALSE(waiting_.empty());
    done = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
  }
  done(reply);
}

std::vector<ControlRequest> FakeLoop::WaitFor(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(came_.wait_for(lock, seconds(30),
                             [&] { return requests_.size() >= count; }));
  return requests_;
}

Scene::Scene(std::vector<std::string> leases)
    : folder_(NewFolder()), board_(std::move(leases)) {
  options_.name_space = "jobs";
  options_.status_socket = folder_ + "/status/s.sock";
  options_.control_socket = folder_ + "/control/c.sock";
  options_.status_port = 0;
  options_.probe_port = 0;
}

Scene::~Scene() {
  server_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Moment Scene::Look() {
  const Moment seen = At(Duration(now_.load()));
  if (looks_left_ > 0 && --looks_left_ == 0) now_ = jump_.load();
  return seen;
}

Result<void> Scene::TryStart() {
  auto server = LocalServer::Open(
      options_, &board_, &loop_, [this] { return Look(); },
      [this](const Moment&, bool open_metrics) {
        return metrics_ + (open_metrics ? "# EOF\n" : "");
      });
  if (!server) return std::unexpected(server.error());
  server_ = *std::move(server);
  return server_->Start();
}

void Scene::Start() {
  const Result<void> started = TryStart();
  ASSERT_TRUE(started.has_value()) << started.error().message;
}

void Scene::Publish(AuthoritySnapshot snapshot, std::size_t lease) {
  board_.Publish(
      lease, std::make_shared<const AuthoritySnapshot>(std::move(snapshot)));
}

std::string Scene::Generation() {
  const std::string reply = Status().Get("/v1/generation");
  return StatusOf(reply) == 200 ? BodyOf(reply) : "";
}

}  // namespace tenure
