// What distinguishes two states.
#include <algorithm>

#include "tests/exhaustive/authority_digest.h"
#include "tests/exhaustive/small_world.h"

namespace tenure::exhaustive {
namespace {

// Its id is the one that the core waits for, or nobody does.
void AddRequest(const Request& request, StateHash* hash) {
  hash->Add(static_cast<std::int64_t>(request.kind));
  hash->Add(request.limit);
  const LeaseWrite& write = request.write;
  hash->AddName(write.uid);
  hash->AddDecimal(write.resource_version);
  hash->AddName(write.document);
  hash->AddName(write.holder);
  hash->Add(write.duration_seconds);
  hash->AddNumber(write.generation.value_or(0));
  hash->AddName(write.write);
}

// A write so old gives nobody a claim, whoever counts.
void AddAge(const Moment& sent, const Moment& now, StateHash* hash) {
  constexpr Duration kOld = std::chrono::milliseconds(2'400);
  hash->Add(std::min(LongestElapsed(sent.instant, now.instant), kOld));
}

}  // namespace

Fingerprint SmallWorld::GetFingerprint() const {
  // B and C are alike: their states may be exchanged.
  Fingerprint least = FingerprintInOrder({0, 1, 2});
  if (count_ == 3) least = std::min(least, FingerprintInOrder({0, 2, 1}));
  return least;
}

Fingerprint SmallWorld::FingerprintInOrder(
    const std::array<int, kMostNodes>& order) const {
  NumberScale scale;
  StateHash collecting(&scale);
  AddState(order, &collecting);
  scale.Finish(server_.revision());
  StateHash hash(static_cast<const NumberScale*>(&scale));
  AddState(order, &hash);
  return hash.Get();
}

void SmallWorld::AddState(const std::array<int, kMostNodes>& order,
                          StateHash* hash) const {
  hash->Add(events_);
  hash->AddNumber(acquired_);
  hash->Add(server_.lease().has_value());
  if (server_.lease()) AuthorityDigest::AddRecord(*server_.lease(), hash);
  for (int i = 0; i < count_; ++i) {
    AddNode(order[static_cast<std::size_t>(i)], hash);
  }
  // Now every name in use is known.
  for (int i = 0; i < count_; ++i) {
    AuthorityDigest::AddOwnMarks(*At(order[static_cast<std::size_t>(i)]).core,
                                 hash);
  }
}

void SmallWorld::AddNode(int index, StateHash* hash) const {
  const Node& node = At(index);
  hash->BeginNode();
  AuthorityDigest::Add(*node.core, Now(index), hash);
  const auto add_flight = [&](const std::optional<Flight>& flight) {
    hash->Add(flight.has_value());
    if (!flight) return;
    AddRequest(flight->request, hash);
    hash->Add(std::min(now_ - flight->sent_at, flight->request.limit));
    AddAge(flight->sent, Now(index), hash);
    hash->Add(flight->answer.has_value());
    if (!flight->answer) return;
    const sim::Answer& answer = *flight->answer;
    hash->Add(answer.has_value());
    if (answer) {
      hash->Add(answer->created);
      AuthorityDigest::AddRecord(answer->record, hash);
    } else {
      hash->Add(static_cast<std::int64_t>(answer.error().code));
    }
  };
  add_flight(node.flight);
  add_flight(node.lost);
  hash->Add(node.work);
  hash->AddNumber(node.work_generation);
  hash->AddNumber(node.released);
  hash->AddNumber(node.granted.generation);
  AddAge(node.granted.sent, Now(index), hash);
  hash->Add(node.unknown ? static_cast<std::int64_t>(*node.unknown) : -1);
  hash->Add(node.streaming);
  hash->Add(node.told == server_.revision());
}

}  // namespace tenure::exhaustive
