// StandardOutput: whether what a verb printed has really left.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_STANDARD_OUTPUT_H_
#define TENURE_CLI_STANDARD_OUTPUT_H_

namespace tenure {

// Opens those of 0, 1 and 2 that are closed, so that no socket or file gets
// their number and with it what is printed; what is printed fails all the same.
// A program that is run later finds them closed as they were.
void ReserveStandardStreams();

// False once something printed was lost: the disk is full, or the reader gone.
bool FlushOutput();

// `code`, or kExitOutputLost, said on stderr.
int ExitCodeOfOutput(int code);

}  // namespace tenure

#endif  // TENURE_CLI_STANDARD_OUTPUT_H_
