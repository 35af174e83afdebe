// Exit codes: sysexits where one fits (design, "Command line").
#ifndef TENURE_CLI_EXIT_CODE_H_
#define TENURE_CLI_EXIT_CODE_H_

namespace tenure {

inline constexpr int kExitOk = 0;
// `run`: work did not end within the drain timeout; nothing was released.
inline constexpr int kExitNotDrained = 1;
// `status`, `generation`; `probe` uses the first two for yes and no.
inline constexpr int kExitHeld = 0;
inline constexpr int kExitStandby = 1;
inline constexpr int kExitUncertain = 2;
inline constexpr int kExitUsage = 64;
inline constexpr int kExitUnreachable = 69;
inline constexpr int kExitConfiguration = 78;

}  // namespace tenure

#endif  // TENURE_CLI_EXIT_CODE_H_
