// WatchSink: where cpprestsdk writes the body of an answer. Private to
// watch_connection.cc, because it includes cpprestsdk.
//
// Consumes at once and completes at once, with no task for the pool. (The
// library's own buffers have no limit or cost a thread switch a piece.)
//
// Thread safety: one write at a time, as the library does.
#ifndef TENURE_KUBE_WATCH_SINK_H_
#define TENURE_KUBE_WATCH_SINK_H_

#include <cpprest/streams.h>

#include <functional>
#include <ios>
#include <string_view>
#include <utility>

namespace tenure {

class WatchSink
    : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  // `consume` must not throw: an exception here ends the process.
  explicit WatchSink(std::function<void(std::string_view)> consume)
      : streambuf_state_manager(std::ios_base::out),
        consume_(std::move(consume)) {}

  pplx::task<size_t> putn_nocopy(const uint8_t* data, size_t size) override {
    consume_(std::string_view(reinterpret_cast<const char*>(data), size));
    return pplx::task_from_result(size);
  }

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(size_t, std::ios_base::openmode) override {}
  size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return kNowhere; }
  pos_type seekpos(pos_type, std::ios_base::openmode) override {
    return kNowhere;
  }
  pos_type seekoff(off_type, std::ios_base::seekdir,
                   std::ios_base::openmode) override {
    return kNowhere;
  }
  bool acquire(uint8_t*& data, size_t& size) override {
    data = nullptr;
    size = 0;
    return false;
  }
  void release(uint8_t*, size_t) override {}

 protected:
  pplx::task<int_type> _putc(uint8_t byte) override {
    consume_(std::string_view(reinterpret_cast<const char*>(&byte), 1));
    return pplx::task_from_result<int_type>(byte);
  }
  pplx::task<size_t> _putn(const uint8_t* data, size_t size) override {
    return putn_nocopy(data, size);
  }
  pplx::task<int_type> _bumpc() override { return Nothing(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return Nothing(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return Nothing(); }
  pplx::task<int_type> _ungetc() override { return Nothing(); }
  pplx::task<size_t> _getn(uint8_t*, size_t) override {
    return pplx::task_from_result<size_t>(0);
  }
  size_t _scopy(uint8_t*, size_t) override { return 0; }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  uint8_t* _alloc(size_t) override { return nullptr; }
  void _commit(size_t) override {}

 private:
  static constexpr off_type kNowhere = -1;

  static pplx::task<int_type> Nothing() {
    return pplx::task_from_result<int_type>(traits::eof());
  }

  const std::function<void(std::string_view)> consume_;
};

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_SINK_H_
