// Inbox: brings news from other threads to the server's. It outlives the
// server: those who hold it may post after the server is gone, to nobody.
//
// Private to this folder: includes Asio.
// Thread safety: Post from any thread; Close on the server's owner's.
#ifndef TENURE_SERVER_INBOX_H_
#define TENURE_SERVER_INBOX_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <utility>

namespace tenure {

class Inbox {
 public:
  explicit Inbox(boost::asio::io_context* context) : context_(context) {}

  template <typename Task>
  void Post(Task task) {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) boost::asio::post(*context_, std::move(task));
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* context_;
};

}  // namespace tenure

#endif  // TENURE_SERVER_INBOX_H_
