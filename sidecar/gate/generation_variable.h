// The variable that carries the generation of one lease among several, beside
// TENURE_GENERATION, which is that of the lease named last.
//
// Thread safety: pure function.
#ifndef TENURE_GATE_GENERATION_VARIABLE_H_
#define TENURE_GATE_GENERATION_VARIABLE_H_

#include <string>
#include <string_view>

namespace tenure {

// "TENURE_GENERATION_PAYMENTS_EU" of "payments-eu": upper case, with '_' for
// '-' and '.', so that a shell can read it.
std::string GenerationVariable(std::string_view lease);

}  // namespace tenure

#endif  // TENURE_GATE_GENERATION_VARIABLE_H_
