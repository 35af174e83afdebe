#include "sidecar/cli/pause.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "sidecar/base/instant.h"

namespace tenure {

void Pause(Duration length) {
  boost::asio::io_context context(1);
  boost::asio::steady_timer timer(context);
  timer.expires_after(length);
  boost::system::error_code ignored;
  timer.wait(ignored);
}

}  // namespace tenure
