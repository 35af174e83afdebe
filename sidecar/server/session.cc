#include "sidecar/server/session.h"

#include <vector>

namespace tenure {

void SessionSet::Sweep() {
  ++tick_;
  // Collected first: ending a session changes the set.
  std::vector<std::shared_ptr<Session>> overdue;
  for (const auto& [key, session] : sessions_) {
    if (session->Overdue(tick_)) overdue.push_back(session);
  }
  for (const std::shared_ptr<Session>& session : overdue) {
    session->OnOverdue();
  }
}

void SessionSet::CloseAll() {
  std::unordered_map<Session*, std::shared_ptr<Session>> sessions;
  sessions.swap(sessions_);
  for (const auto& [key, session] : sessions) session->Close();
}

}  // namespace tenure
