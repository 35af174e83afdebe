#include "sidecar/kube/lease_request.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace tenure {
namespace {

std::string HostHeader(const ApiAccess& access) {
  const bool v6 = access.host.find(':') != std::string::npos;
  return (v6 ? "[" + access.host + "]" : access.host) + ":" +
         std::to_string(access.port);
}

}  // namespace

LeaseRequestText::LeaseRequestText(const std::string& name_space,
                                   const std::string& lease,
                                   std::string user_agent)
    : path_("/apis/coordination.k8s.io/v1/namespaces/" + name_space +
            "/leases/" + lease + "?timeout="),
      user_agent_(std::move(user_agent)) {}

std::string LeaseRequestText::Get(std::shared_ptr<const ApiAccess> access,
                                  Duration limit) {
  UseAccess(std::move(access));
  return Head("GET ", limit, 0) + "\r\n";
}

std::string LeaseRequestText::Put(std::shared_ptr<const ApiAccess> access,
                                  Duration limit, std::string_view body) {
  UseAccess(std::move(access));
  std::string text = Head("PUT ", limit, body.size());
  text += "Content-Type: application/json\r\nContent-Length: ";
  text += std::to_string(body.size());
  text += "\r\n\r\n";
  text += body;
  return text;
}

void LeaseRequestText::UseAccess(std::shared_ptr<const ApiAccess> access) {
  if (access_ == access) return;
  access_ = std::move(access);
  target_ = access_->path_prefix + path_;
  headers_ = " HTTP/1.1\r\nHost: " + HostHeader(*access_) +
             "\r\nUser-Agent: " + user_agent_ +
             "\r\nAccept: application/json\r\n";
  if (!access_->bearer_token.empty()) {
    headers_ += "Authorization: Bearer " + access_->bearer_token + "\r\n";
  }
}

std::string LeaseRequestText::Head(std::string_view method, Duration limit,
                                   std::size_t body_size) const {
  std::string text;
  text.reserve(target_.size() + headers_.size() + body_size + 128);
  text += method;
  text += target_;
  text += ServerTimeout(limit);
  text += headers_;
  return text;
}

std::string ServerTimeout(Duration limit) {
  using std::chrono::milliseconds;
  const auto whole = std::chrono::duration_cast<milliseconds>(limit);
  return std::to_string(
             std::max((whole - whole / 8).count(), milliseconds::rep{1})) +
         "ms";
}

}  // namespace tenure
