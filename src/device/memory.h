#pragma once
// The memory on which the tasks of a queue work. The host accesses it only through this interface, because it
// can't dereference an address in the memory of a GPU.

#include <cstddef>
#include <memory>
#include <span>

#include "base/quantity.h"

namespace wt::device {

class Memory {
 public:
  virtual ~Memory() = default;

  // Allocates zeroed memory with the alignment that the device needs. Null if there is not enough memory.
  virtual std::shared_ptr<std::byte> allocate(Bytes size) = 0;
  virtual Bytes available() const = 0;  // the memory that can be allocated now, in total

  // Allocates zeroed memory of the host, between which and this memory `copy` is as fast as it can be: beside a
  // GPU it is page-locked. Null if there is not enough.
  virtual std::shared_ptr<std::byte> allocate_on_host(Bytes size) = 0;

  // True if the memory is so small that users may have to share it in turns. A user that doesn't compute then
  // frees its memory, and allocates it again for its next turn.
  virtual bool is_scarce() const = 0;

  // These run in the order of the queue's tasks. When `write` returns, the caller may reuse its bytes. When
  // `read` returns, the bytes have arrived.
  virtual void write(std::byte* target, std::span<const std::byte> bytes) = 0;
  virtual void read(std::span<std::byte> bytes, const std::byte* source) = 0;
  virtual void clear(std::byte* target, Bytes size) = 0;

  // To be called by a task. The copy is captured and replayed as part of the task.
  virtual void copy(std::byte* target, const std::byte* source, Bytes size) = 0;
};

}  // namespace wt::device
