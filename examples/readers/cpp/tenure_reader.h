// Asks a Tenure sidecar for the generation. The rules are in ../README.md.
//
//   tenure::Reader reader("/run/tenure/tenure.sock");
//   const tenure::Claim claim = reader.Ask();
//   if (const auto generation = claim.Generation()) Write(row, *generation);
//
// C++17 and Linux; no library.
// Thread safety: a Reader and a Claim may be shared by threads.
// Invariants: a Claim ends by itself; nothing prolongs one.
#ifndef TENURE_READER_H_
#define TENURE_READER_H_

#include <functional>
#include <optional>
#include <string>

#include "http_exchange.h"

namespace tenure {

// One answer, good for as long as the sidecar said.
class Claim {
 public:
  static Claim None(std::string why);
  static Claim Held(std::string generation, BootTime until);

  // What to attach to a write that begins now; nullopt: there is no authority
  // to write, and Why() says why.
  std::optional<std::string> Generation() const;
  std::string Why() const;

  bool held() const { return !generation_.empty(); }
  BootTime until() const { return until_; }

 private:
  std::string generation_;
  BootTime until_{0};
  std::string why_;
};

class Reader {
 public:
  // `address`: the path of a Unix socket, or "127.0.0.1:7421". `lease`: needed
  // only where the sidecar has several.
  explicit Reader(std::string address, const std::string& lease = "");

  // The Claim of this moment, within a second, whatever happens.
  Claim Ask() const;

  // Gives a Claim at once, then whenever something may have changed, until
  // `give` is false. An event is only a cue to ask, and so is the end of a
  // claim.
  void Watch(const std::function<bool(const Claim&)>& give) const;

 private:
  std::string Request(const std::string& path) const;

  const std::string address_;
  const std::string query_;
};

}  // namespace tenure

#endif  // TENURE_READER_H_
