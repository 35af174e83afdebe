// Exit codes: sysexits where one fits (design, "Command line").
#ifndef TENURE_CLI_EXIT_CODE_H_
#define TENURE_CLI_EXIT_CODE_H_

namespace tenure {

inline constexpr int kExitOk = 0;
// `run`: work did not end within the drain timeout; nothing was released.
inline constexpr int kExitNotDrained = 1;
// `plan`: the lease duration that was checked is too small.
inline constexpr int kExitTooSmall = 1;
// `status`, `generation`, `release`; `probe` uses the first two for yes and no.
inline constexpr int kExitHeld = 0;
inline constexpr int kExitStandby = 1;
inline constexpr int kExitUncertain = 2;
inline constexpr int kExitUsage = 64;
inline constexpr int kExitUnreachable = 69;
// Any verb that prints: what it printed could not be written to stdout.
inline constexpr int kExitOutputLost = 74;
// `wait`, `release`: it did not come about in time.
inline constexpr int kExitNotInTime = 75;
inline constexpr int kExitConfiguration = 78;

}  // namespace tenure

#endif  // TENURE_CLI_EXIT_CODE_H_
