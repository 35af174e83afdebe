#include "sidecar/drill/store_message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenure {
namespace {

using nlohmann::json;
using Op = StoreRequest::Op;
using Said = StoreAnswer::Result;

constexpr std::size_t kMaxResource = 200;

constexpr std::array<std::pair<Op, const char*>, 4> kOps{{
    {Op::kReset, "reset"},
    {Op::kRaise, "raise"},
    {Op::kWrite, "write"},
    {Op::kRead, "read"},
}};

constexpr std::array<std::pair<Said, const char*>, 5> kResults{{
    {Said::kOk, "ok"},
    {Said::kAccepted, "accepted"},
    {Said::kRefused, "refused"},
    {Said::kUnknown, "unknown"},
    {Said::kError, "error"},
}};

std::unexpected<Error> Wrong(const std::string& expected,
                             std::string_view found) {
  return Fail(
      ErrorCode::kInvalidArgument,
      "expected " + expected + ", found: " + std::string(found.substr(0, 200)));
}

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// A decimal string, as tokens are: JSON numbers lose digits in some readers.
bool ReadToken(const json& object, const char* key, std::int64_t* token) {
  const std::string text = Text(object, key);
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *token);
  return error == std::errc{} && at == end && *token >= 0;
}

bool IsResource(std::string_view name) {
  return !name.empty() && name.size() <= kMaxResource &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == ':' ||
                  c == '-';
         });
}

std::string Dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

const char* StoreOpName(StoreRequest::Op op) {
  for (const auto& [known, name] : kOps) {
    if (known == op) return name;
  }
  return "read";
}

std::string RequestLine(const StoreRequest& request) {
  json line = {{"op", StoreOpName(request.op)}, {"resource", request.resource}};
  if (request.op == Op::kRaise || request.op == Op::kWrite) {
    line["token"] = std::to_string(request.token);
    line["holder"] = request.holder;
  }
  if (request.op == Op::kWrite) {
    line["id"] = request.id;
    line["value"] = request.value;
    line["fenced"] = request.fenced;
  }
  return Dump(line);
}

std::string AnswerLine(const StoreAnswer& answer) {
  json line = json::object();
  for (const auto& [known, name] : kResults) {
    if (known == answer.result) line["result"] = name;
  }
  if (answer.result == Said::kUnknown || answer.result == Said::kError) {
    line["error"] = answer.error;
    return Dump(line);
  }
  line["token"] = std::to_string(answer.token);
  if (answer.result == Said::kOk) {
    line["holder"] = answer.holder;
    line["value"] = answer.value;
    if (answer.writes >= 0) line["writes"] = answer.writes;
  }
  return Dump(line);
}

Result<StoreRequest> ReadRequestLine(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) return Wrong("a JSON object", text);
  StoreRequest request;
  const std::string op = Text(line, "op");
  const auto* known = std::ranges::find_if(
      kOps, [&](const auto& entry) { return op == entry.second; });
  if (known == kOps.end()) {
    return Wrong("an op that is reset, raise, write or read", op);
  }
  request.op = known->first;
  request.resource = Text(line, "resource");
  if (!IsResource(request.resource)) {
    return Wrong("a resource of 1 to 200 bytes of [A-Za-z0-9._:-]",
                 request.resource);
  }
  if (request.op == Op::kReset || request.op == Op::kRead) return request;
  request.holder = Text(line, "holder");
  if (!ReadToken(line, "token", &request.token) || request.holder.empty()) {
    return Wrong("a token as a decimal string, and a holder", text);
  }
  if (request.op == Op::kRaise) return request;
  request.id = Text(line, "id");
  request.value = Text(line, "value");
  const auto fenced = line.find("fenced");
  request.fenced = fenced == line.end() || *fenced != false;
  if (request.id.empty()) return Wrong("an id", text);
  return request;
}

Result<StoreAnswer> ReadAnswerLine(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  const std::string said =
      line.is_object() ? Text(line, "result") : std::string();
  const auto* known = std::ranges::find_if(
      kResults, [&](const auto& entry) { return said == entry.second; });
  if (known == kResults.end()) {
    return Wrong(
        "an object with a result that is ok, accepted, refused, unknown or "
        "error",
        text);
  }
  StoreAnswer answer;
  answer.result = known->first;
  const bool judged =
      answer.result == Said::kAccepted || answer.result == Said::kRefused;
  if (!ReadToken(line, "token", &answer.token) && judged) {
    return Wrong("a token as a decimal string", text);
  }
  answer.holder = Text(line, "holder");
  answer.value = Text(line, "value");
  const auto writes = line.find("writes");
  if (writes != line.end() && writes->is_number_integer()) {
    answer.writes = writes->get<std::int64_t>();
  }
  answer.error = Text(line, "error");
  return answer;
}

}  // namespace tenure
