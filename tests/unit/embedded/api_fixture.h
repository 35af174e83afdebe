// Api: a LeaseApi with a fixed clock and counted random bits, for tests.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_UNIT_EMBEDDED_API_FIXTURE_H_
#define TENURE_TESTS_UNIT_EMBEDDED_API_FIXTURE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sidecar/base/check.h"
#include "sidecar/embedded/lease_api.h"

namespace tenure::embedded {

inline constexpr char kLeasesPath[] =
    "/apis/coordination.k8s.io/v1/namespaces/default/leases";
// 2026-11-29T20:48:00.123456Z
inline constexpr WallTime kNow{std::chrono::microseconds{1795985280123456}};

struct Reply {
  int code = 0;
  nlohmann::json body;
  std::string text;
  std::vector<std::string> warnings;

  std::string reason() const { return body.value("reason", ""); }
  std::string version() const {
    return body.at("metadata").value("resourceVersion", "");
  }
  std::string uid() const { return body.at("metadata").at("uid"); }
  // "field reason" of each cause.
  std::vector<std::string> causes() const {
    std::vector<std::string> out;
    if (!body.contains("details")) return out;
    for (const auto& cause :
         body["details"].value("causes", nlohmann::json())) {
      out.push_back(cause.value("field", "") + " " +
                    cause.at("reason").get<std::string>());
    }
    return out;
  }
};

class Api {
 public:
  explicit Api(const LeaseTableLimits& limits = {}) : api_(limits) {}

  LeaseTable& table() { return api_.table(); }

  Reply Call(const std::string& method, const std::string& target,
             const std::string& body = "",
             const std::string& content_type = "application/json",
             const std::string& accept = "application/json",
             std::optional<std::uint64_t> stale_at = {}) {
    ApiRequest request{method, target, accept, content_type, body};
    const auto route = ParseRoute(method, target);
    CHECK(route.has_value());
    auto answer = api_.Handle(request, *route,
                              {kNow, Entropy{++bits_, bits_ << 32U}}, stale_at);
    auto* response = std::get_if<ApiResponse>(&answer);
    CHECK(response != nullptr);
    return {response->code,
            nlohmann::json::parse(response->body, nullptr, false),
            response->body, response->warnings};
  }

  // The feed of a watch; nullopt where it is refused.
  std::optional<WatchFeed> Watch(const std::string& query) {
    const std::string target = kLeasesPath + ("?watch=1&" + query);
    const auto route = ParseRoute("GET", target);
    auto answer =
        api_.Handle({"GET", target, "application/json", "", ""}, *route, {});
    if (auto* feed = std::get_if<WatchFeed>(&answer)) return std::move(*feed);
    return std::nullopt;
  }

  Reply Create(const std::string& name, const std::string& spec = "{}",
               const std::string& more_metadata = "") {
    return Call("POST", kLeasesPath,
                R"({"metadata":{"name":")" + name + "\"" + more_metadata +
                    R"(},"spec":)" + spec + "}");
  }

  Reply Put(const std::string& name, const std::string& metadata,
            const std::string& spec = "{}", const std::string& query = "") {
    return Call("PUT", kLeasesPath + ("/" + name) + query,
                R"({"metadata":{"name":")" + name + "\"" + metadata +
                    R"(},"spec":)" + spec + "}");
  }

  Reply MergePatch(const std::string& name, const std::string& patch,
                   const std::string& query = "") {
    return Call("PATCH", kLeasesPath + ("/" + name) + query, patch,
                "application/merge-patch+json");
  }

  Reply Get(const std::string& name) {
    return Call("GET", kLeasesPath + ("/" + name));
  }

 private:
  LeaseApi api_;
  std::uint64_t bits_ = 0;
};

}  // namespace tenure::embedded

#endif  // TENURE_TESTS_UNIT_EMBEDDED_API_FIXTURE_H_
