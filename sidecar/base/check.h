// CHECK: what must hold of our own state, in every build.
//
// A failed CHECK is a programmer error and ends the process; the lease then
// runs out unreleased, which is safe. Never CHECK what a server, a reader or a
// file sent: that is an Error (S12).
#ifndef TENURE_BASE_CHECK_H_
#define TENURE_BASE_CHECK_H_

namespace tenure {

// Writes "file:line: CHECK failed: text" to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* text);

}  // namespace tenure

// Macros, because the message must name the expression and where it stands.
#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) [[unlikely]] {                         \
      ::tenure::CheckFailed(__FILE__, __LINE__, #condition); \
    }                                                        \
  } while (false)

#endif  // TENURE_BASE_CHECK_H_
