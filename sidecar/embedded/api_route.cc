#include "sidecar/embedded/api_route.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenure::embedded {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> PercentDecode(std::string_view text,
                                         bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return out;
}

bool ParseQuery(std::string_view text, Query& out) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = pair.find('=');
    const auto key = PercentDecode(pair.substr(0, equals), true);
    const auto value = PercentDecode(equals == std::string_view::npos
                                         ? std::string_view()
                                         : pair.substr(equals + 1),
                                     true);
    if (!key || !value) return false;
    if (!key->empty()) out.Add(*key, *value);
  }
  return true;
}

std::vector<std::string> SplitPath(const std::string& path) {
  std::vector<std::string> out;
  std::size_t start = 0;
  while (start < path.size()) {
    std::size_t end = path.find('/', start);
    if (end == std::string::npos) end = path.size();
    if (end > start) out.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

// `part` from index 3: below /apis/coordination.k8s.io/v1.
void ParseGroupPath(const std::vector<std::string>& part, ApiRoute& route) {
  route.resource = Resource::kNoSuchResource;
  if (part.size() == 4 && part[3] == "leases") {
    route.resource = Resource::kLeases;
  } else if (part.size() >= 6 && part[3] == "namespaces" &&
             part[5] == "leases" && part.size() <= 7) {
    route.name_space = part[4];
    route.resource = Resource::kLeases;
    if (part.size() == 7) {
      route.name = part[6];
      route.resource = Resource::kLease;
    }
  }
}

void ParsePath(const std::vector<std::string>& part, ApiRoute& route) {
  const std::string& first = part[0];
  const std::size_t n = part.size();
  if (n == 1) {
    if (first == "version") route.resource = Resource::kVersion;
    if (first == "healthz" || first == "livez" || first == "readyz") {
      route.resource = Resource::kHealth;
    }
    if (first == "api") route.resource = Resource::kCoreVersions;
    if (first == "apis") route.resource = Resource::kGroups;
    if (first == "faults") route.resource = Resource::kFaults;
  } else if (first == "api" && part[1] == "v1") {
    route.resource = Resource::kNoSuchResource;
  } else if (first == "apis" && part[1] == "coordination.k8s.io") {
    if (n == 2) {
      route.resource = Resource::kGroup;
    } else if (part[2] == "v1") {
      if (n == 3) {
        route.resource = Resource::kGroupResources;
      } else {
        ParseGroupPath(part, route);
      }
    }
  } else if (first == "openapi" && part[1] == "v3") {
    if (n == 2) route.resource = Resource::kOpenApiIndex;
    if (n == 5 && part[2] == "apis" && part[3] == "coordination.k8s.io" &&
        part[4] == "v1") {
      route.resource = Resource::kOpenApiLeases;
    }
  }
}

Verb VerbOf(std::string_view method, const ApiRoute& route) {
  if (route.resource == Resource::kLease) {
    if (method == "GET") return Verb::kGet;
    if (method == "PUT") return Verb::kUpdate;
    if (method == "PATCH") return Verb::kPatch;
    if (method == "DELETE") return Verb::kDelete;
  } else if (route.resource == Resource::kLeases) {
    if (method == "GET") {
      return IsTrue(route.query.Get("watch")) ? Verb::kWatch : Verb::kList;
    }
    if (route.name_space.empty()) return Verb::kNotAllowed;
    if (method == "POST") return Verb::kCreate;
    if (method == "DELETE") return Verb::kDeleteCollection;
  } else if (method == "GET") {
    return Verb::kGet;
  }
  return Verb::kNotAllowed;
}

}  // namespace

void Query::Add(std::string key, std::string value) {
  values_.emplace_back(std::move(key), std::move(value));
}

const std::string& Query::Get(std::string_view key) const {
  static const std::string kEmpty;
  for (const auto& [name, value] : values_) {
    if (name == key) return value;
  }
  return kEmpty;
}

std::vector<std::string> Query::All(std::string_view key) const {
  std::vector<std::string> out;
  for (const auto& [name, value] : values_) {
    if (name == key) out.push_back(value);
  }
  return out;
}

std::optional<ApiRoute> ParseRoute(std::string_view method,
                                   std::string_view target) {
  ApiRoute route;
  const std::size_t question = target.find('?');
  const auto path = PercentDecode(target.substr(0, question), false);
  if (!path) return std::nullopt;
  if (question != std::string_view::npos &&
      !ParseQuery(target.substr(question + 1), route.query)) {
    return std::nullopt;
  }
  const std::vector<std::string> part = SplitPath(*path);
  if (!part.empty()) ParsePath(part, route);
  route.verb = VerbOf(method, route);
  return route;
}

const char* VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
    case Verb::kNotAllowed:
      break;
  }
  return "";
}

bool IsTrue(const std::string& value) {
  return !value.empty() && value != "0" && value != "false";
}

}  // namespace tenure::embedded
