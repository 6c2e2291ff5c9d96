#pragma once

#include "device/memory.h"

namespace wt::device {

// The memory of the host, which is limited by the operating system only.
class CpuMemory : public Memory {
 public:
  std::shared_ptr<std::byte> allocate(Bytes size) override;
  Bytes available() const override;
  std::shared_ptr<std::byte> allocate_on_host(Bytes size) override { return allocate(size); }
  bool is_scarce() const override { return false; }

  void write(std::byte* target, std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> bytes, const std::byte* source) override;
  void clear(std::byte* target, Bytes size) override;
  void copy(std::byte* target, const std::byte* source, Bytes size) override;
};

CpuMemory& cpu_memory();  // the only object that is needed, because CpuMemory has no state

}  // namespace wt::device
