#include "tests/exhaustive/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure::exhaustive {
namespace {

constexpr std::uint64_t kLivenessShare = 512;
constexpr std::uint64_t kLateAnswerShare = 8;
constexpr std::size_t kLongestPath = 14;

// The moves after an opening, packed.
struct Trail {
  std::uint8_t opening = 0;
  std::uint8_t length = 0;
  std::array<std::uint8_t, kLongestPath> moves{};

  static std::uint8_t Pack(const Move& move) {
    return static_cast<std::uint8_t>(static_cast<int>(move.choice) * 4 +
                                     move.node);
  }
  static Move Unpack(std::uint8_t packed) {
    return {static_cast<Choice>(packed / 4),
            static_cast<std::uint8_t>(packed % 4)};
  }
  Move At(std::size_t i) const { return Unpack(moves[i]); }
  Trail With(const Move& move) const {
    CHECK(length < kLongestPath);
    Trail longer = *this;
    longer.moves[longer.length++] = Pack(move);
    return longer;
  }
};

// Fingerprints in a table that is at most half full; each goes to the first
// free place from where its own bits point.
class FingerprintSet {
 public:
  // False if it was there.
  bool Insert(const Fingerprint& one) {
    if (places_.size() < 2 * (used_ + 1)) Grow();
    const std::size_t at = Find(places_, one);
    if (places_[at] == one) return false;
    places_[at] = one;
    ++used_;
    return true;
  }
  std::size_t size() const { return used_; }

 private:
  // No state has the fingerprint 0, or one has and counts as seen.
  static constexpr Fingerprint kFree{};

  static std::size_t Find(const std::vector<Fingerprint>& places,
                          const Fingerprint& one) {
    std::size_t at = one.low & (places.size() - 1);
    while (places[at] != kFree && places[at] != one) {
      at = (at + 1) & (places.size() - 1);
    }
    return at;
  }
  void Grow() {
    std::vector<Fingerprint> more(
        std::max<std::size_t>(1024, 2 * places_.size()));
    for (const Fingerprint& one : places_) {
      if (one != kFree) more[Find(more, one)] = one;
    }
    places_ = std::move(more);
  }

  std::vector<Fingerprint> places_;
  std::size_t used_ = 0;
};

// The fingerprints seen so far, in parts so that threads rarely meet.
class Seen {
 public:
  // False if it was there.
  bool Insert(const Fingerprint& one) {
    Part& part = parts_[one.high % kParts];
    const std::lock_guard<std::mutex> lock(part.mutex);
    return part.set.Insert(one);
  }
  std::int64_t size() const {
    std::size_t sum = 0;
    for (const Part& part : parts_) sum += part.set.size();
    return static_cast<std::int64_t>(sum);
  }

 private:
  static constexpr std::size_t kParts = 64;
  struct Part {
    std::mutex mutex;
    FingerprintSet set;
  };
  std::array<Part, kParts> parts_;
};

// One thread's share of one level.
class Walker {
 public:
  Walker(const SearchOptions& options, const std::vector<Path>& openings,
         Seen* seen)
      : options_(options), openings_(openings), seen_(seen) {}

  void Expand(const Trail& trail) {
    GoTo(trail);
    for (const Move& move : worlds_.back()->Moves()) {
      SmallWorld world(*worlds_.back());
      world.SetCounts(&counts);
      ++moves;
      const Trail longer = trail.With(move);
      auto said = world.Make(move);
      const Fingerprint fingerprint = world.GetFingerprint();
      if (!said && seen_->Insert(fingerprint)) {
        next.push_back(longer);
        said = LookAhead(fingerprint, &world);
      }
      if (said) {
        broken = *said + "\n  after: " + Whole(longer);
        return;
      }
    }
  }

  std::vector<Trail> next;
  std::int64_t moves = 0;
  RuleCounts counts;
  std::optional<std::string> broken;

 private:
  // What asks for more than one move is asked of a share of the states only,
  // drawn by the fingerprint: the same in every run.
  std::optional<std::string> LookAhead(const Fingerprint& fingerprint,
                                       SmallWorld* world) {
    const std::uint64_t draw = fingerprint.high / 64 % kLivenessShare;
    if (draw % kLateAnswerShare == 0) {
      if (auto late = world->CheckLateAnswer()) return late;
    }
    return draw == 0 ? world->CheckLiveness() : std::nullopt;
  }

  void GoTo(const Trail& trail) {
    std::size_t common = 0;
    if (!worlds_.empty() && trail.opening == at_.opening) {
      while (common < at_.length && common < trail.length &&
             at_.moves[common] == trail.moves[common]) {
        ++common;
      }
      worlds_.resize(common + 1);
    } else {
      worlds_.clear();
      worlds_.push_back(std::make_unique<SmallWorld>(
          Replay(options_, openings_[trail.opening], &replayed_)));
    }
    for (std::size_t i = common; i < trail.length; ++i) {
      worlds_.push_back(std::make_unique<SmallWorld>(*worlds_.back()));
      worlds_.back()->SetCounts(&replayed_);
      worlds_.back()->Make(trail.At(i));
    }
    at_ = trail;
  }

  std::string Whole(const Trail& trail) const {
    Path path = openings_[trail.opening];
    for (std::size_t i = 0; i < trail.length; ++i) path.push_back(trail.At(i));
    return Describe(path);
  }

  const SearchOptions& options_;
  const std::vector<Path>& openings_;
  Seen* const seen_;
  Trail at_;
  // After each move of `at_`, the opening first.
  std::vector<std::unique_ptr<SmallWorld>> worlds_;
  RuleCounts replayed_;  // not counted: seen before
};

void AddShare(Walker* walker, std::vector<Trail>* next, SearchResult* result) {
  next->insert(next->end(), walker->next.begin(), walker->next.end());
  result->moves += walker->moves;
  result->counts.Add(walker->counts);
  if (!result->broken) result->broken = walker->broken;
}

// All of `level`, on several threads.
std::vector<Trail> NextLevel(const SearchOptions& options,
                             const std::vector<Path>& openings,
                             const std::vector<Trail>& level, Seen* seen,
                             SearchResult* result) {
  constexpr std::size_t kShare = 256;
  std::atomic<std::size_t> taken{0};
  std::atomic<bool> stop{false};
  std::vector<Walker> walkers;
  for (int i = 0; i < options.threads; ++i) {
    walkers.emplace_back(options, openings, seen);
  }
  std::vector<std::thread> threads;
  for (Walker& walker : walkers) {
    threads.emplace_back([&] {
      for (;;) {
        const std::size_t first = taken.fetch_add(kShare);
        if (first >= level.size()) return;
        const std::size_t last = std::min(first + kShare, level.size());
        for (std::size_t i = first; i < last && !stop; ++i) {
          walker.Expand(level[i]);
          if (walker.broken) stop = true;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Trail> next;
  for (Walker& walker : walkers) AddShare(&walker, &next, result);
  return next;
}

}  // namespace

std::string Describe(const Path& path) {
  std::string text;
  for (const Move& move : path) {
    if (!text.empty()) text += ", ";
    text += MoveName(move);
  }
  return text;
}

SmallWorld Replay(const SearchOptions& options, const Path& path,
                  RuleCounts* counts) {
  SmallWorld world(options.nodes, options.most_events, counts);
  for (const Move& move : path) {
    const std::vector<Move> moves = world.Moves();
    CHECK(std::find(moves.begin(), moves.end(), move) != moves.end());
    const auto broken = world.Make(move);
    CHECK(!broken);
  }
  return world;
}

SearchResult Search(const SearchOptions& options,
                    const std::vector<Path>& openings) {
  SearchResult result;
  Seen seen;
  std::vector<Trail> level;
  for (std::size_t i = 0; i < openings.size(); ++i) {
    RuleCounts counts;
    const SmallWorld world = Replay(options, openings[i], &counts);
    if (seen.Insert(world.GetFingerprint())) {
      level.push_back(Trail{static_cast<std::uint8_t>(i), 0, {}});
    }
  }
  result.states_at.push_back(static_cast<std::int64_t>(level.size()));
  while (result.depth < options.depth && !level.empty() && !result.broken) {
    level = NextLevel(options, openings, level, &seen, &result);
    result.states_at.push_back(static_cast<std::int64_t>(level.size()));
    ++result.depth;
  }
  result.states = seen.size();
  return result;
}

}  // namespace tenure::exhaustive
