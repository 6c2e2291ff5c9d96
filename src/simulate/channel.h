#pragma once
// Plain values between a process and one that was forked from it, so that both have the same types.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace wt::simulate {

// The other end is gone.
class ChannelClosed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A socket of which this is one end.
class Channel {
 public:
  explicit Channel(int file) : file_(file) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // All of it, or ChannelClosed.
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
  int file_;
};

}  // namespace wt::simulate
