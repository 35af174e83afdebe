// Bytes to inputs of the core: an API server that answers as it likes, clocks
// that jump, people who edit the Lease and ask for anything.
#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>

#include "sidecar/authority/generation.h"
#include "sidecar/authority/renewal_schedule.h"
#include "tests/fuzz/core_oracle.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/targets.h"
#include "tests/passing_time.h"

namespace tenure::fuzz {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMostMoves = 400;
constexpr char kIdentity[] = "web-0_uid_0123";

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  // 0 when there are none left.
  unsigned Next() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  template <typename T, std::size_t kSize>
  const T& Pick(const std::array<T, kSize>& from) {
    return from[Next() % kSize];
  }

 private:
  std::string_view bytes_;
};

AuthorityOptions Options(Bytes* bytes) {
  const unsigned choice = bytes->Next();
  AuthorityOptions options;
  options.identity = kIdentity;
  options.times = *TimesForPreset((choice & 1U) != 0 ? "fast" : "default");
  if ((choice & 2U) != 0) options.absent_lease = AbsentLease::kTake;
  if ((choice & 4U) != 0) options.min_generation = 1000;
  options.jitter_seed = choice;
  return options;
}

class CoreRun {
 public:
  explicit CoreRun(Bytes* bytes) : bytes_(*bytes), oracle_(Options(bytes)) {
    now_.wall = WallTime{std::chrono::microseconds{1'800'000'000'000'000}};
  }

  void Run() {
    oracle_.Give(now_, Tick{});
    for (int move = 0; move < kMostMoves && !bytes_.empty(); ++move) Move();
  }

 private:
  void Move() {
    switch (bytes_.Next() % 16) {
      case 0:
      case 1:
        return Serve();
      case 2:
        return AnswerWithLease();
      case 3:
        return Fail();
      case 4:
        return Land();
      case 5:
      case 6:
        return WaitUntilDue();
      case 7:
        return PassTime();
      case 8:
        return Edit();
      case 9:
        return Give(Watch());
      case 10:
        return Give(Fresh());
      case 11:
        return Give(StartWork{Generation()});
      case 12:
        return Give(FinishWork{Generation()});
      case 13:
        return Give(GiveUp{Generation()});
      case 14:
        if (bytes_.Next() % 2 == 0) return Give(Done());
        return Give(RaiseFloor{Generation()});
      default:
        if (bytes_.Next() % 8 == 0) return Give(Drain{});
        return Give(SetContention{bytes_.Next() % 4 != 0});
    }
  }

  void Give(const Input& input) { oracle_.Give(now_, input); }

  RecordRun Done() {
    static constexpr std::array<const char*, 4> kIds = {"run-1", "run-2",
                                                        "by-hand", "not one"};
    return RecordRun{Generation(), kIds[bytes_.Next() % kIds.size()]};
  }

  // Of the term, or near it, or anything.
  std::int64_t Generation() {
    static constexpr std::array<std::int64_t, 8> kOthers = {0,
                                                            1,
                                                            -1,
                                                            2000,
                                                            kMaxGeneration - 1,
                                                            kMaxGeneration,
                                                            kMaxGeneration + 1,
                                                            INT64_MIN};
    const unsigned choice = bytes_.Next();
    if (choice < 160) return oracle_.generation();
    if (choice < 200) return oracle_.generation() + choice - 180;
    return kOthers[choice % kOthers.size()];
  }

  void Advance(Duration by) {
    now_.instant = Later(now_.instant, by);
    now_.wall.since_epoch +=
        std::chrono::duration_cast<std::chrono::microseconds>(by);
  }

  void WaitUntilDue() {
    Duration due = std::min<Duration>(oracle_.NextDeadline(now_), seconds(60));
    if (oracle_.in_flight() && bytes_.Next() % 2 == 0) {
      due = milliseconds(bytes_.Next());
    }
    Advance(due);
    Give(Tick{});
  }

  // Suspension, slewing, a stepped wall clock, a frozen driver.
  void PassTime() {
    const unsigned how = bytes_.Next();
    const Duration by = milliseconds(100) * bytes_.Next();
    switch (how % 4) {
      case 0:
        Advance(by);
        break;
      case 1:
        now_.instant.boot += by;
        break;
      case 2:
        now_.instant.raw += by;
        break;
      default:
        now_.wall.since_epoch +=
            std::chrono::duration_cast<std::chrono::microseconds>(
                how % 8 < 4 ? by : -by);
    }
    if (how < 128) Give(Tick{});
  }

  void NewVersion() {
    ++version_;
    lease_.resource_version = std::to_string(version_);
    lease_.document = "document " + std::to_string(version_);
  }

  bool Apply(const LeaseWrite& write) {
    const bool create = write.uid.empty();
    if (create == present_) return false;
    if (!create && (write.uid != lease_.uid ||
                    write.resource_version != lease_.resource_version)) {
      return false;
    }
    NewVersion();
    if (create) {
      LeaseRecord created;
      created.uid = "uid " + std::to_string(version_);
      created.resource_version = lease_.resource_version;
      created.document = lease_.document;
      lease_ = std::move(created);
    }
    present_ = true;
    lease_.holder = write.holder;
    lease_.duration_seconds = write.duration_seconds;
    if (write.acquire_time) lease_.acquire_time = write.acquire_time;
    lease_.renew_time = write.renew_time;
    if (write.transitions) lease_.transitions = write.transitions;
    if (write.generation) lease_.generation = std::to_string(*write.generation);
    lease_.write = write.write;
    return true;
  }

  void Done(std::expected<LeaseReply, StoreError> result) {
    Give(RequestDone{oracle_.in_flight()->id, std::move(result)});
  }

  static std::unexpected<StoreError> Refusal(ErrorCode code,
                                             Duration retry_after = {}) {
    return std::unexpected(StoreError{code, "the server's words", retry_after});
  }

  // As a real API server does.
  void Serve() {
    if (!oracle_.in_flight()) return;
    const Request request = *oracle_.in_flight();
    Advance(milliseconds(bytes_.Next() % 32));
    if (request.kind == RequestKind::kRead) {
      if (!present_) return Done(Refusal(ErrorCode::kNotFound));
      return Done(LeaseReply{false, lease_});
    }
    const bool absent = !present_ && request.kind != RequestKind::kCreate;
    if (!Apply(request.write)) {
      return Done(
          Refusal(absent ? ErrorCode::kNotFound : ErrorCode::kConflict));
    }
    Done(LeaseReply{request.kind == RequestKind::kCreate, lease_});
  }

  // Whatever the Lease is, applied or not, with any status.
  void AnswerWithLease() {
    const unsigned how = bytes_.Next();
    if (!oracle_.in_flight()) return;
    if ((how & 1U) != 0) Apply(oracle_.in_flight()->write);
    if ((how & 2U) != 0) {
      return Give(RequestDone{oracle_.in_flight()->id + 1 - (how >> 7U),
                              LeaseReply{false, lease_}});
    }
    Done(LeaseReply{(how & 4U) != 0, lease_});
  }

  void Fail() {
    static constexpr std::array<ErrorCode, 8> kCodes = {
        ErrorCode::kOutcomeUnknown, ErrorCode::kNotFound,
        ErrorCode::kConflict,       ErrorCode::kUnauthenticated,
        ErrorCode::kForbidden,      ErrorCode::kThrottled,
        ErrorCode::kRefused,        ErrorCode::kNotSent};
    const unsigned how = bytes_.Next();
    if (!oracle_.in_flight()) return;
    const Request request = *oracle_.in_flight();
    if ((how & 1U) != 0) Apply(request.write);  // and the answer says otherwise
    if ((how & 2U) != 0) lost_.push_back(request);
    if (lost_.size() > 4) lost_.pop_front();
    Done(Refusal(bytes_.Pick(kCodes), milliseconds(100) * (how >> 2U)));
  }

  void Land() {
    if (lost_.empty()) return;
    const Request request = lost_[bytes_.Next() % lost_.size()];
    if (request.kind != RequestKind::kRead) Apply(request.write);
  }

  WatchEvent Watch() {
    using Kind = WatchEvent::Kind;
    static constexpr std::array<Kind, 8> kKinds = {
        Kind::kChanged, Kind::kOpened, Kind::kDeleted, Kind::kBookmark,
        Kind::kExpired, Kind::kClosed, Kind::kDenied,  Kind::kChanged};
    return WatchEvent{bytes_.Pick(kKinds), lease_, "the watch's words"};
  }

  FreshRead Fresh() {
    // Asked for just now, or before all that is known.
    const unsigned how = bytes_.Next();
    const Instant asked = how % 8 < 4 ? now_.instant : Instant{};
    if (!present_) return FreshRead{Refusal(ErrorCode::kNotFound), asked};
    if (how % 4 == 0) return FreshRead{Refusal(ErrorCode::kNotSent), asked};
    return FreshRead{LeaseReply{false, lease_}, asked};
  }

  // By hand, by a foreign elector, by a webhook.
  void Edit() {
    static const std::array<std::string, 4> kHolders = {"", "other", kIdentity,
                                                        "web-0"};
    static const std::array<std::optional<std::string>, 7> kGenerations = {
        std::nullopt,      "7", "0", "x", "2001", "9007199254740990",
        "9007199254740991"};
    static constexpr std::array<std::int32_t, 5> kSeconds = {1, 2, 15, 600,
                                                             INT32_MAX};
    const unsigned what = bytes_.Next();
    if (what >= 240) {
      present_ = !present_;
      lease_ = LeaseRecord{};
      lease_.uid = "uid " + std::to_string(version_);
    }
    if ((what & 1U) != 0) lease_.holder = bytes_.Pick(kHolders);
    if ((what & 2U) != 0) lease_.generation = bytes_.Pick(kGenerations);
    if ((what & 4U) != 0) lease_.duration_seconds = bytes_.Pick(kSeconds);
    if ((what & 8U) != 0) lease_.write = EditedMark();
    if ((what & 16U) != 0)
      lease_.unreadable = lease_.unreadable.empty() ? "?" : "";
    if ((what & 32U) != 0) version_ += bytes_.Next() * bytes_.Next();
    NewVersion();
    if (what == 95) lease_.resource_version = "not a decimal";
    if (what == 111) lease_.resource_version = "99999999999999999999";
  }

  std::string EditedMark() {
    const unsigned which = bytes_.Next();
    if (which < 64) return "";
    if (which < 96) return "other:0123";
    if (which < 128) return "no colon";
    if (oracle_.sent().empty()) return std::string(kIdentity) + ":ffff";
    return oracle_.sent()[which % oracle_.sent().size()].write.write;
  }

  Bytes& bytes_;
  CoreOracle oracle_;
  Moment now_;
  LeaseRecord lease_;
  bool present_ = false;
  std::int64_t version_ = 100;
  std::deque<Request> lost_;
};

}  // namespace

void Core(std::string_view bytes) {
  Bytes source(bytes);
  CoreRun(&source).Run();
}

}  // namespace tenure::fuzz
