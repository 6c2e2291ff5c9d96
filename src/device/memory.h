#pragma once
// The memory that a queue's tasks work on. The outside reaches it through here alone: of a GPU's, an address is
// nothing that the host could read.

#include <cstddef>
#include <memory>
#include <span>

#include "base/quantity.h"

namespace wt::device {

class Memory {
 public:
  virtual ~Memory() = default;

  // Zeroed, and aligned for whatever computes on it; null: there isn't enough.
  virtual std::shared_ptr<std::byte> allocate(Bytes size) = 0;
  virtual Bytes available() const = 0;  // now, in all

  // Where true, those who share it take turns: what waits gives its memory back, and gets it again.
  virtual bool is_scarce() const = 0;

  // In the order of the queue's tasks. `write` has taken the bytes when it returns, `read` has brought them.
  virtual void write(std::byte* target, std::span<const std::byte> bytes) = 0;
  virtual void read(std::span<std::byte> bytes, const std::byte* source) = 0;
  virtual void clear(std::byte* target, Bytes size) = 0;

  // Part of a task: it is captured and replayed with it.
  virtual void copy(std::byte* target, const std::byte* source, Bytes size) = 0;
};

}  // namespace wt::device
