#include "sidecar/drill/relay.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace tenure {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = boost::system::error_code;

constexpr std::size_t kPiece = 16 * 1024;
constexpr int kCannotServe = 69;

// One connection, both ways; it ends when either side ends.
class Pair : public std::enable_shared_from_this<Pair> {
 public:
  Pair(tcp::socket client, asio::io_context& context)
      : client_(std::move(client)), server_(context) {}

  void Start(std::uint16_t target) {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), target);
    server_.async_connect(endpoint, [self = shared_from_this()](Code error) {
      if (error) return self->End();
      self->Pump(&self->client_, &self->server_, &self->up_);
      self->Pump(&self->server_, &self->client_, &self->down_);
    });
  }

 private:
  using Piece = std::array<char, kPiece>;

  void Pump(tcp::socket* from, tcp::socket* to, Piece* piece) {
    from->async_read_some(
        asio::buffer(*piece), [self = shared_from_this(), from, to, piece](
                                  Code error, std::size_t size) {
          if (error) return self->End();
          asio::async_write(*to, asio::buffer(piece->data(), size),
                            [self, from, to, piece](Code written, std::size_t) {
                              if (written) return self->End();
                              self->Pump(from, to, piece);
                            });
        });
  }

  void End() {
    Code ignored;
    client_.close(ignored);
    server_.close(ignored);
  }

  tcp::socket client_;
  tcp::socket server_;
  Piece up_{};
  Piece down_{};
};

void Accept(tcp::acceptor* acceptor, asio::io_context* context,
            std::uint16_t target) {
  acceptor->async_accept([=](Code error, tcp::socket client) {
    if (!error) {
      std::make_shared<Pair>(std::move(client), *context)->Start(target);
    }
    Accept(acceptor, context, target);
  });
}

}  // namespace

int RunDrillRelay(std::uint16_t port, std::uint16_t target) {
  try {
    asio::io_context context(1);
    tcp::acceptor acceptor(
        context, tcp::endpoint(asio::ip::address_v4::loopback(), port));
    std::printf("%u\n", unsigned{acceptor.local_endpoint().port()});
    std::fflush(stdout);
    Accept(&acceptor, &context, target);
    context.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenure: expected to relay on port %u, found: %s\n",
                 unsigned{port}, error.what());
  }
  return kCannotServe;
}

}  // namespace tenure
