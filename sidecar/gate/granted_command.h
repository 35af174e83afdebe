// GrantedCommand: the command of a gate with what it is told of its grant.
//
// Thread safety: pure function.
#ifndef TENURE_GATE_GRANTED_COMMAND_H_
#define TENURE_GATE_GRANTED_COMMAND_H_

#include "sidecar/base/instant.h"
#include "sidecar/gate/command.h"
#include "sidecar/gate/gated_run.h"
#include "sidecar/gate/report.h"

namespace tenure {

// `state` names lease and identity, `grant` the generation; `time_left` is of
// the timeout, for a gate inside this one.
Command GrantedCommand(const GateOptions& options, const Report& state,
                       const Report& grant, Duration time_left);

}  // namespace tenure

#endif  // TENURE_GATE_GRANTED_COMMAND_H_
