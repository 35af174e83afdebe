// Exit codes of a gated command's wrapper that are not the command's own:
// sysexits where one fits, and those of timeout(1) (design, "Command line").
#ifndef TENURE_GATE_EXIT_CODES_H_
#define TENURE_GATE_EXIT_CODES_H_

namespace tenure {

inline constexpr int kGateUsage = 64;
inline constexpr int kGateUnreachable = 69;
inline constexpr int kGateNotObtained = 75;
inline constexpr int kGateForbidden = 77;
inline constexpr int kGateLost = 79;
inline constexpr int kGateOwnFailure = 125;
inline constexpr int kGateCannotRun = 126;
inline constexpr int kGateNotFound = 127;
// Plus the signal, as shells report it.
inline constexpr int kGateSignal = 128;

}  // namespace tenure

#endif  // TENURE_GATE_EXIT_CODES_H_
