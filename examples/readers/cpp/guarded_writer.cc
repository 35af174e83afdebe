// Writes to a store only while the sidecar says held.
//
//   guarded_writer SIDECAR STORE        commands on stdin, an answer each:
//       ask            held GENERATION | not held: WHY
//       write VALUE    wrote G | not written: WHY | stale G | unknown: WHY
//   guarded_writer SIDECAR STORE watch  prints each change of the claim

#include <chrono>
#include <iostream>
#include <optional>
#include <string>

#include "http_exchange.h"
#include "tenure_reader.h"

namespace {

std::string Describe(const tenure::Claim& claim) {
  const std::optional<std::string> generation = claim.Generation();
  return generation ? "held " + *generation : "not held: " + claim.Why();
}

std::string Write(const std::string& store, const tenure::Claim& claim,
                  const std::string& value) {
  // Asked for last, just before the write.
  const std::optional<std::string> generation = claim.Generation();
  if (!generation) return "not written: " + claim.Why();
  const std::string request =
      "PUT /value HTTP/1.1\r\nHost: " + store +
      "\r\nTenure-Generation: " + *generation +
      "\r\nContent-Length: " + std::to_string(value.size()) +
      "\r\nConnection: close\r\n\r\n" + value;
  const std::optional<HttpAnswer> answer =
      HttpExchange(store, request, SinceBoot() + std::chrono::seconds(5));
  if (!answer) return "unknown: no answer";  // it may have been applied
  if (answer->status == 200) return "wrote " + *generation;
  // The store knows a higher one.
  if (answer->status == 409) return "stale " + *generation;
  return "unknown: " + std::to_string(answer->status);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "usage: guarded_writer SIDECAR STORE [watch]\n";
    return 64;
  }
  const tenure::Reader reader(arguments[1]);
  if (count > 3) {
    std::string said;
    reader.Watch([&said](const tenure::Claim& claim) {
      const std::string now = Describe(claim);
      if (now != said) std::cout << now << std::endl;
      said = now;
      return true;
    });
  }
  tenure::Claim claim = tenure::Claim::None("not asked yet");
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "ask") {
      claim = reader.Ask();
      std::cout << Describe(claim) << std::endl;
    } else if (line.rfind("write ", 0) == 0) {
      std::cout << Write(arguments[2], claim, line.substr(6)) << std::endl;
    }
  }
}
