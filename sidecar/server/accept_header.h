// What an Accept field asks for. Only ranges that name a type themselves
// count: text stays the answer to "*/*", which every client sends.
//
// Thread safety: pure functions.
#ifndef TENURE_SERVER_ACCEPT_HEADER_H_
#define TENURE_SERVER_ACCEPT_HEADER_H_

#include <string_view>

namespace tenure {

// application/json, at least as much as text/plain.
bool PrefersJson(std::string_view accept);

// application/openmetrics-text, at least as much as text/plain.
bool PrefersOpenMetrics(std::string_view accept);

}  // namespace tenure

#endif  // TENURE_SERVER_ACCEPT_HEADER_H_
