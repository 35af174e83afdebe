#include "sidecar/authority/lease_record.h"

namespace tenure {

bool Changed(const LeaseRecord& before, const LeaseRecord& after) {
  return before.uid != after.uid || before.holder != after.holder ||
         before.duration_seconds != after.duration_seconds ||
         before.acquire_time != after.acquire_time ||
         before.renew_time != after.renew_time ||
         before.generation != after.generation || before.write != after.write ||
         before.unreadable != after.unreadable;
}

bool IsReleased(const LeaseRecord& record) {
  return record.unreadable.empty() && record.holder.empty() &&
         record.duration_seconds == 1;
}

std::string WriteMark(const std::string& identity, const Entropy& entropy) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string mark = identity + ":";
  mark.reserve(mark.size() + 32);
  for (std::uint64_t word : entropy) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      mark.push_back(kHex[(word >> static_cast<unsigned>(shift)) & 0xFU]);
    }
  }
  return mark;
}

bool WrittenByHolder(const LeaseRecord& record) {
  const std::string::size_type colon = record.write.rfind(':');
  return !record.holder.empty() && colon != std::string::npos &&
         record.write.compare(0, colon, record.holder) == 0;
}

}  // namespace tenure
