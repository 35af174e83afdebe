// What to do where no sidecar answers.
//
// Thread safety: pure function.
#ifndef TENURE_GATE_HOW_TO_REACH_H_
#define TENURE_GATE_HOW_TO_REACH_H_

#include <string>
#include <system_error>

namespace tenure {

// To follow a refusal: "; start `tenure run` ..., or name its socket with
// --socket". `error` is what ended the connection; `flag` names the address, ""
// where none does. Empty where neither is the way out.
std::string HowToReach(const std::error_code& error, const std::string& flag);

}  // namespace tenure

#endif  // TENURE_GATE_HOW_TO_REACH_H_
