#include "sidecar/kube/api_channel.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;

// Addresses tried within one exchange; a failure rotates where it starts.
constexpr std::size_t kMaxAttempts = 3;

std::string Milliseconds(Duration duration) {
  return std::to_string(
             std::chrono::duration_cast<milliseconds>(duration).count()) +
         " ms";
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsMaterial::For(
    const ApiAccess& access) {
  if (!access.tls) return nullptr;
  if (context_ == nullptr || serial_ != access.tls_serial) {
    auto made = TlsContext::Create(access);
    if (!made.has_value()) return made;
    context_ = *std::move(made);
    serial_ = access.tls_serial;
  }
  return context_;
}

ApiChannel::ApiChannel(boost::asio::io_context& context, AccessSource* access,
                       std::shared_ptr<TlsMaterial> tls,
                       std::uint64_t jitter_seed, const ConnectionAge& age)
    : context_(context),
      source_(access),
      tls_(std::move(tls)),
      jitter_(jitter_seed),
      wears_at_(age),
      deadline_(context),
      attempt_timer_(context),
      age_(context) {}

void ApiChannel::Exchange(std::shared_ptr<const ApiAccess> access,
                          std::string text, Duration limit, Done done) {
  CHECK(!busy());
  access_ = std::move(access);
  text_ = std::move(text);
  limit_ = limit;
  done_ = std::move(done);
  last_error_.clear();
  attempts_left_ = std::min(access_->addresses.size(), kMaxAttempts);
  // One silent address must eat neither the time of the others nor that of the
  // request: each of n gets 1/(n+1) of it, the last what is left.
  attempt_limit_ = limit / static_cast<int>(attempts_left_ + 1);
  ++exchange_;
  deadline_.expires_after(limit);
  deadline_.async_wait([weak = weak_from_this(),
                        exchange = exchange_](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self == nullptr || error || self->exchange_ != exchange) return;
    self->OnDeadline();
  });
  DropUnfitConnection();
  reusing_ = connection_ != nullptr;
  if (reusing_) return Send();
  OpenNext();
}

void ApiChannel::DropUnfitConnection() {
  if (connection_ == nullptr) return;
  const ApiAccess& then = connection_->access();
  const bool current =
      then.tls_serial == access_->tls_serial && then.tls == access_->tls;
  // The peek: a connection that the server closed while it was idle is
  // replaced before anything is sent on it.
  if (current && !worn_ && connection_->Usable()) return;
  connection_->Retire();
  connection_.reset();
}

void ApiChannel::OpenNext() {
  if (access_->addresses.empty()) {
    source_->Refresh();
    return FailUnsent("the name \"" + access_->host +
                      "\" did not resolve to an address; check DNS");
  }
  auto tls = tls_->For(*access_);
  if (!tls.has_value()) return FailUnsent(tls.error().message);
  --attempts_left_;
  ++attempt_;
  if (attempts_left_ > 0) {
    attempt_timer_.expires_after(attempt_limit_);
    attempt_timer_.async_wait([weak = weak_from_this(), attempt = attempt_](
                                  boost::system::error_code error) {
      const auto self = weak.lock();
      if (self == nullptr || error || self->attempt_ != attempt) return;
      self->OnAttemptDeadline();
    });
  }
  connection_ =
      std::make_shared<ApiConnection>(context_, access_, *std::move(tls));
  const std::string& address =
      access_->addresses[next_address_ % access_->addresses.size()];
  // Held here, because its callback may let go of it.
  const std::shared_ptr<ApiConnection> opening = connection_;
  opening->Open(address, limit_,
                [weak = weak_from_this()](const std::string& error) {
                  if (const auto self = weak.lock()) self->OnOpened(error);
                });
}

void ApiChannel::OnOpened(const std::string& error) {
  ++attempt_;  // its timer, if it has fired already, means nothing now
  attempt_timer_.cancel();
  if (error.empty()) {
    StartAging();
    return Send();
  }
  connection_.reset();
  ++next_address_;
  last_error_ = error;
  if (attempts_left_ > 0) return OpenNext();
  source_->Refresh();  // the addresses or the CA may have changed
  FailUnsent(last_error_);
}

void ApiChannel::OnAttemptDeadline() {
  const std::string error = connection_->Doing() + ": no answer within " +
                            Milliseconds(attempt_limit_);
  connection_->Abandon();
  OnOpened(error);
}

void ApiChannel::Send() {
  if (!access_->tls && !access_->bearer_token.empty() &&
      !connection_->to_loopback()) {
    return FailUnsent("refused to send the bearer token over plain http to " +
                      access_->host + "; use an https:// server");
  }
  const std::shared_ptr<ApiConnection> sending = connection_;
  sending->Send(text_, [weak = weak_from_this()](HttpOutcome end) {
    if (const auto self = weak.lock()) self->OnAnswered(std::move(end));
  });
}

void ApiChannel::OnAnswered(HttpOutcome outcome) {
  if (!outcome.has_value()) {
    connection_.reset();
    // It ended between the peek and the first byte.
    if (std::exchange(reusing_, false) && !outcome.error().maybe_sent) {
      return OpenNext();
    }
    ++next_address_;
  } else if (!connection_->keep_alive()) {
    connection_->Retire();
    connection_.reset();
  }
  Finish(std::move(outcome));
}

void ApiChannel::OnDeadline() {
  HttpFailure failure;
  failure.message = "gave up after " + Milliseconds(limit_);
  if (connection_ != nullptr) {
    failure.maybe_sent = connection_->sent();
    failure.message = connection_->Doing() + ": " + failure.message;
    connection_->Abandon();
    connection_.reset();
  }
  ++next_address_;
  if (!failure.maybe_sent) source_->Refresh();
  Finish(std::unexpected(std::move(failure)));
}

void ApiChannel::FailUnsent(const std::string& why) {
  Finish(std::unexpected(HttpFailure{false, why}));
}

void ApiChannel::Finish(HttpOutcome outcome) {
  ++exchange_;
  ++attempt_;
  deadline_.cancel();
  attempt_timer_.cancel();
  access_.reset();
  text_.clear();
  // Posted, because the caller of Exchange may still be on the stack.
  boost::asio::post(
      context_, [weak = weak_from_this(), end = std::move(outcome)]() mutable {
        const auto self = weak.lock();
        if (self == nullptr || self->done_ == nullptr) return;
        std::exchange(self->done_, nullptr)(std::move(end));
      });
}

void ApiChannel::StartAging() {
  worn_ = false;
  const auto spread =
      jitter_.Below(static_cast<std::uint64_t>(wears_at_.spread.count()) + 1);
  age_.expires_after(wears_at_.youngest +
                     milliseconds{static_cast<std::int64_t>(spread)});
  age_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self != nullptr && !error) self->worn_ = true;
  });
}

void ApiChannel::Close() {
  done_ = nullptr;
  ++exchange_;
  ++attempt_;
  deadline_.cancel();
  attempt_timer_.cancel();
  age_.cancel();
  if (connection_ == nullptr) return;
  if (connection_->Usable()) {
    connection_->Retire();
  } else {
    connection_->Abandon();
  }
  connection_.reset();
}

}  // namespace tenure
