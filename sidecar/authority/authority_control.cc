// Requests of the control socket and of the command line.
#include <algorithm>

#include "sidecar/authority/authority_state.h"
#include "sidecar/authority/canary.h"
#include "sidecar/authority/generation.h"

namespace tenure {

void LeaseAuthority::State::On(const SetContention& input) {
  contend_ = input.allowed;
}

void LeaseAuthority::State::On(const StartWork& input) {
  if (draining_ || release_wanted_) {
    Reply(Error{ErrorCode::kUnavailable,
                "expected a sidecar that takes new work, found it draining; "
                "start no work here"});
    return;
  }
  const CertaintyAnswer answer = CertaintyAt(Grounds(), now_);
  if (answer.certainty != Certainty::kHeld ||
      answer.generation != input.generation) {
    Reply(Error{ErrorCode::kConflict,
                "expected generation " + std::to_string(input.generation) +
                    " to be held, found " + CertaintyName(answer.certainty) +
                    "; read the generation again"});
    return;
  }
  switch (work_.Start(input.generation, input.run, now_.instant)) {
    case WorkRegistry::Verdict::kTaken:
      return Reply(std::nullopt);
    case WorkRegistry::Verdict::kFull:
      return Reply(Error{ErrorCode::kUnavailable,
                         "expected at most " +
                             std::to_string(WorkRegistry::kMaxRunning) +
                             " registered works, found that many; end some "
                             "first"});
    case WorkRegistry::Verdict::kRunsFull:
      return Reply(Error{ErrorCode::kUnavailable,
                         "expected at most " +
                             std::to_string(WorkRegistry::kMaxRuns) +
                             " runs under way, found that many; wait for one "
                             "to end"});
    case WorkRegistry::Verdict::kRunUnderWay:
      return Reply(Error{ErrorCode::kConflict,
                         "expected no other run of " + input.run.id +
                             ", found one under way; wait until it is over"});
  }
}

void LeaseAuthority::State::On(const FinishWork& input) {
  if (!work_.Finish(input.generation, input.run)) {
    Reply(Error{ErrorCode::kConflict,
                "expected work registered under generation " +
                    std::to_string(input.generation) +
                    ", found none; it may have been ended already"});
    return;
  }
  if (draining_ && term_ && work_.running() == 0) release_wanted_ = true;
  Reply(std::nullopt);
}

void LeaseAuthority::State::On(const KeepRun& input) {
  work_.Keep(input.run, now_.instant);
  Reply(std::nullopt);
}

void LeaseAuthority::State::On(const GiveUp& input) {
  if (!term_ || term_->generation != input.generation) {
    Reply(Error{ErrorCode::kConflict,
                "expected to hold generation " +
                    std::to_string(input.generation) + ", found " +
                    (term_ ? std::to_string(term_->generation) : "none") +
                    "; nothing was released"});
    return;
  }
  if (work_.running() > 0 && !CANARY(kReleasesUnderWork)) {
    Reply(Error{ErrorCode::kConflict,
                "expected no running work, found " +
                    std::to_string(work_.running()) +
                    "; stop it and report done first (S10)"});
    return;
  }
  release_wanted_ = true;
  Reply(std::nullopt);
}

void LeaseAuthority::State::On(const RecordRun& input) {
  if (const Result<void> ok = CheckRunId(input.run_id); !ok) {
    Reply(ok.error());
    return;
  }
  if (!term_ || term_->generation != input.generation) {
    Reply(Error{ErrorCode::kConflict,
                "expected to hold generation " +
                    std::to_string(input.generation) + ", found " +
                    (term_ ? std::to_string(term_->generation) : "none") +
                    "; the run was not recorded"});
    return;
  }
  const LastRun last = term_->run_wanted.value_or(seen_.record().last_run);
  const RunVerdict verdict = JudgeRun(input.run_id, last);
  if (verdict == RunVerdict::kNotNewer) {
    Reply(Error{ErrorCode::kConflict, "expected a run newer than " + last.id +
                                          ", found " + input.run_id +
                                          "; it was not recorded"});
    return;
  }
  if (verdict == RunVerdict::kNew) {
    term_->run_wanted = AfterRun(input.run_id, last);
    term_->run_due = true;
  }
  Reply(std::nullopt);
}

void LeaseAuthority::State::On(const RaiseFloor& input) {
  if (input.floor < 0 || input.floor > kMaxFloor) {
    Reply(Error{ErrorCode::kInvalidArgument,
                "expected a floor from 0 to 9007199254740990, found " +
                    std::to_string(input.floor) + "; nothing was changed"});
    return;
  }
  floor_ = std::max(floor_, input.floor);
  // The store has seen our number or a later one: ours cannot fence any more.
  if (term_ && floor_ >= term_->generation) EndTerm("floor");
  Reply(std::nullopt);
}

void LeaseAuthority::State::On(const Drain&) {
  if (draining_) return;
  draining_ = true;
  Emit(Transition::Kind::kDraining);
  if (term_ && work_.running() == 0) release_wanted_ = true;
}

}  // namespace tenure
