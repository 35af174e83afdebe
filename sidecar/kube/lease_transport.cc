#include "sidecar/kube/lease_transport.h"

#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/kube/api_channel.h"
#include "sidecar/kube/lease_answer.h"
#include "sidecar/kube/lease_codec.h"
#include "sidecar/kube/lease_request.h"

namespace tenure {
namespace {

class LeaseTransport : public LeaseStore {
 public:
  LeaseTransport(boost::asio::io_context& context, AccessSource* access,
                 const std::string& name_space, const std::string& lease,
                 const std::string& user_agent)
      : access_(access),
        target_{name_space, lease},
        text_(name_space, lease, user_agent) {
    const Entropy seeds = ReadEntropy();
    const auto tls = std::make_shared<TlsMaterial>();
    main_ = std::make_shared<ApiChannel>(context, access, tls, seeds[0]);
    fresh_ = std::make_shared<ApiChannel>(context, access, tls, seeds[1]);
  }

  ~LeaseTransport() override {
    main_->Close();
    fresh_->Close();
  }

  void Start(const Request& request, Done done) override {
    const auto access = access_->Current();
    std::string text;
    if (request.kind == RequestKind::kRead) {
      text = text_.Get(access, request.limit);
    } else {
      text = text_.Put(
          access, request.limit,
          EncodeLease(target_.name_space, target_.lease, request.write));
    }
    main_->Exchange(
        access, std::move(text), request.limit,
        [this, id = request.id, kind = request.kind,
         done = std::move(done)](HttpOutcome outcome) {
          done(RequestDone{id, Interpret(kind, std::move(outcome))});
        });
  }

  void ReadFresh(Duration limit, FreshDone done) override {
    const auto access = access_->Current();
    fresh_->Exchange(
        access, text_.Get(access, limit), limit,
        [this, done = std::move(done)](HttpOutcome outcome) {
          done(FreshRead{Interpret(RequestKind::kRead, std::move(outcome))});
        });
  }

 private:
  std::expected<LeaseReply, StoreError> Interpret(RequestKind kind,
                                                  HttpOutcome outcome) {
    auto answer = LeaseAnswer(kind, target_, std::move(outcome));
    if (answer.has_value()) return answer;
    StoreError& error = answer.error();
    const bool refused = error.code == ErrorCode::kUnauthenticated;
    if (refused || error.code == ErrorCode::kNotSent) {
      const auto access = access_->Current();
      if (!access->refresh_error.empty()) {
        error.message += "; re-reading failed: " + access->refresh_error;
      }
    }
    if (refused) access_->Refresh();
    return answer;
  }

  AccessSource* const access_;
  const LeaseTarget target_;
  LeaseRequestText text_;
  std::shared_ptr<ApiChannel> main_;   // writes and settling reads
  std::shared_ptr<ApiChannel> fresh_;  // check?fresh
};

}  // namespace

std::unique_ptr<LeaseStore> NewLeaseTransport(boost::asio::io_context& context,
                                              AccessSource* access,
                                              const std::string& name_space,
                                              const std::string& lease,
                                              const std::string& user_agent) {
  return std::make_unique<LeaseTransport>(context, access, name_space, lease,
                                          user_agent);
}

}  // namespace tenure
