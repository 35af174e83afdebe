// Parsing of untrusted JSON with the checks the API needs: depth, duplicate
// keys. Private to this folder: it includes nlohmann/json.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_JSON_DOCUMENT_H_
#define TENURE_EMBEDDED_JSON_DOCUMENT_H_

#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::embedded {

struct JsonDocument {
  nlohmann::json root;
  std::vector<std::string> duplicates;  // "metadata.name"
};

// Never throws. The error says what is wrong in a few words.
std::expected<JsonDocument, std::string> ParseJson(std::string_view text,
                                                   int max_depth);

// Never throws: bad UTF-8 is replaced.
std::string DumpJson(const nlohmann::json& value);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_JSON_DOCUMENT_H_
