// What a target expects, and how it fails: a line on stderr, then abort(),
// which libFuzzer and the corpus test both report with the input.
//
// Thread safety: pure functions.
#ifndef TENURE_TESTS_FUZZ_EXPECT_H_
#define TENURE_TESTS_FUZZ_EXPECT_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tenure::fuzz {

inline void Expect(bool holds, std::string_view claim,
                   std::string_view found = "") {
  if (holds) return;
  std::fprintf(stderr, "expected: %.*s\nfound: %.*s\n",
               static_cast<int>(claim.size()), claim.data(),
               static_cast<int>(found.size()), found.data());
  std::abort();
}

inline constexpr std::size_t kMaxMessage = 4096;

// For people: something, in one line, of bounded length.
inline void ExpectOneLine(std::string_view message) {
  Expect(!message.empty(), "an error says something");
  Expect(message.size() <= kMaxMessage, "an error is of bounded length",
         message);
  Expect(std::none_of(message.begin(), message.end(),
                      [](char c) {
                        return static_cast<unsigned char>(c) < 0x20 ||
                               c == 0x7f;
                      }),
         "an error is one line without control characters", message);
}

}  // namespace tenure::fuzz

#endif  // TENURE_TESTS_FUZZ_EXPECT_H_
