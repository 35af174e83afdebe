// Descriptor: a file descriptor that is closed with its owner.
//
// Thread safety: one thread at a time.
#ifndef TENURE_GATE_DESCRIPTOR_H_
#define TENURE_GATE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace tenure {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }  // -1: none
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace tenure

#endif  // TENURE_GATE_DESCRIPTOR_H_
