#pragma once
// Plain values that two processes of one machine and one build send each other through a socket, byte for
// byte as they lie in memory. simulate/protocol.h makes sure that both processes agree on the layout of the
// values.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace wt::simulate {

// The process at the other end has closed the socket or has ended.
class ChannelClosed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One end of a socket. It owns the descriptor.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Both transfer all bytes. Throws ChannelClosed.
  void write(std::span<const std::byte> bytes);
  void read(std::span<std::byte> bytes);

  template <class T>
  void send(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  void send(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    send(static_cast<std::uint64_t>(values.size()));
    write(std::as_bytes(std::span(values)));
  }
  template <class T>
  void receive(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    read(std::as_writable_bytes(std::span(&value, 1)));
  }
  template <class T>
  void receive(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t size = 0;
    receive(size);
    values.resize(size);
    read(std::as_writable_bytes(std::span(values)));
  }

 private:
  int descriptor_;
};

}  // namespace wt::simulate
