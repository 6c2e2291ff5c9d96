#include "simulate/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wt::simulate {

Channel::~Channel() { ::close(descriptor_); }

void Channel::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw ChannelClosed(std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void Channel::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0) throw ChannelClosed(std::strerror(errno));
    if (received == 0) throw ChannelClosed("end of data");
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
}

}  // namespace wt::simulate
