// What the API server sends: a Lease, its times, a watch.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sidecar/base/rfc3339.h"
#include "sidecar/kube/lease_codec.h"
#include "sidecar/kube/micro_time.h"
#include "sidecar/kube/watch_decoder.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/targets.h"

namespace tenure::fuzz {
namespace {

using nlohmann::json;

// A renewal of the record, as the core would fill it.
LeaseWrite Renewal(const LeaseRecord& record) {
  LeaseWrite write;
  write.uid = record.uid;
  write.resource_version = record.resource_version;
  write.document = record.document;
  write.holder = "web-0_uid_0123";
  write.duration_seconds = 15;
  write.renew_time = WallTime{std::chrono::microseconds{1'800'000'000'123'456}};
  write.generation = 42;
  write.write = "web-0_uid_0123:00000000000000000000000000000001";
  return write;
}

// Without what a write of ours sets, and without what it leaves out.
json WithoutOurs(std::string_view text) {
  json lease = json::parse(text, nullptr, false);
  Expect(lease.is_object(), "a Lease that was decoded is an object", text);
  for (const char* key : {"apiVersion", "kind"}) lease.erase(key);
  const auto object = [&lease](const char* key) -> json& {
    json& member = lease[key];
    if (!member.is_object()) member = json::object();
    return member;
  };
  json& metadata = object("metadata");
  for (const char* key :
       {"name", "namespace", "uid", "resourceVersion", "managedFields"}) {
    metadata.erase(key);
  }
  json& annotations = metadata["annotations"];
  if (!annotations.is_object()) annotations = json::object();
  annotations.erase(kGenerationAnnotation);
  annotations.erase(kWriteAnnotation);
  json& spec = object("spec");
  for (const char* key :
       {"holderIdentity", "leaseDurationSeconds", "renewTime"}) {
    spec.erase(key);
  }
  return lease;
}

}  // namespace

void LeaseCodec(std::string_view bytes) {
  ExpectOneLine("status: " + StatusMessage(bytes));
  const LeaseRecord record = DecodeLease(bytes);
  if (!record.unreadable.empty()) {
    ExpectOneLine(record.unreadable);
    return;
  }
  Expect(record.document == bytes, "the document is kept as received");
  const LeaseWrite write = Renewal(record);
  const std::string encoded = EncodeLease("prod", "billing", write);
  const LeaseRecord back = DecodeLease(encoded);
  Expect(back.unreadable.empty(), "what we wrote can be read", encoded);
  Expect(back.uid == record.uid &&
             back.resource_version == record.resource_version,
         "S4: uid and resource version are sent back", encoded);
  Expect(back.holder == write.holder && back.write == write.write &&
             back.duration_seconds == write.duration_seconds &&
             back.generation == "42" && back.renew_time == write.renew_time,
         "S7: a write restates holder, D, generation and mark", encoded);
  Expect(back.acquire_time == record.acquire_time &&
             back.transitions == record.transitions,
         "S7: nothing else is changed", encoded);
  Expect(WithoutOurs(bytes) == WithoutOurs(encoded),
         "S11: what is not ours is kept", encoded);
  LeaseWrite again = write;
  again.document = encoded;
  Expect(EncodeLease("prod", "billing", again) == encoded,
         "writing the same again changes nothing", encoded);
}

void MicroTime(std::string_view bytes) {
  const Result<WallTime> time = ParseMicroTime(bytes);
  if (!time) {
    ExpectOneLine(time.error().message);
    return;
  }
  const std::string text = FormatMicroTime(*time);
  Expect(text.size() == 27 && text[19] == '.' && text[26] == 'Z',
         "six fractional digits and Z", text);
  const Result<WallTime> back = ParseMicroTime(text);
  Expect(back.has_value(), "what was formatted can be read", text);
  // A time zone may lead out of the years 1 to 9999, which are clamped.
  const bool clamped = text.starts_with("0001-01-01T00:00:00.000000") ||
                       text.starts_with("9999-12-31T23:59:59.999999");
  Expect(*back == *time || clamped, "formatting loses nothing", text);
  Expect(FormatMicroTime(*back) == text, "formatting is idempotent", text);
}

namespace {

bool Same(const WatchEvent& a, const WatchEvent& b) {
  return a.kind == b.kind && a.message == b.message &&
         a.record.document == b.record.document &&
         a.record.resource_version == b.record.resource_version &&
         a.record.unreadable == b.record.unreadable;
}

}  // namespace

// The first byte says how the rest is cut into pieces.
void WatchStream(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr std::size_t kMaxLine = 512;
  const std::size_t piece = 1 + static_cast<unsigned char>(bytes[0]) % 64;
  bytes.remove_prefix(1);
  WatchDecoder whole(kMaxLine);
  const std::vector<WatchEvent> events = whole.Feed(bytes);
  WatchDecoder pieces(kMaxLine);
  std::vector<WatchEvent> others;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    for (WatchEvent& event : pieces.Feed(bytes.substr(at, piece))) {
      others.push_back(std::move(event));
    }
  }
  Expect(std::equal(events.begin(), events.end(), others.begin(), others.end(),
                    Same),
         "how the bytes are cut changes nothing");
  Expect(whole.dead() == pieces.dead(), "nor does it keep a dead one alive");
  for (std::size_t i = 0; i < events.size(); ++i) {
    const WatchEvent& event = events[i];
    const bool last = event.kind == WatchEvent::Kind::kClosed ||
                      event.kind == WatchEvent::Kind::kExpired;
    Expect(event.kind != WatchEvent::Kind::kOpened, "bytes open nothing");
    Expect(!last || (i + 1 == events.size() && whole.dead()),
           "a dead stream says nothing more");
    if (!event.message.empty()) ExpectOneLine(event.message);
    Expect(event.record.document.size() <= kMaxLine, "a line is bounded");
  }
  Expect(!whole.dead() || whole.Feed("{}\n").empty(),
         "a dead stream stays dead");
}

}  // namespace tenure::fuzz
