#include "device/cpu/cpu_memory.h"

#include <cstring>

#include "device/cpu/host.h"
#include "tensor/tensor.h"

namespace wt::device {

std::shared_ptr<std::byte> CpuMemory::allocate(Bytes size) { return allocate_numbers(size); }

Bytes CpuMemory::available() const { return host_memory(); }

void CpuMemory::write(std::byte* target, std::span<const std::byte> bytes) {
  copy(target, bytes.data(), Bytes(bytes.size()));
}

void CpuMemory::read(std::span<std::byte> bytes, const std::byte* source) {
  copy(bytes.data(), source, Bytes(bytes.size()));
}

void CpuMemory::clear(std::byte* target, Bytes size) {
  if (size.count() > 0) std::memset(target, 0, static_cast<std::size_t>(size.count()));
}

void CpuMemory::copy(std::byte* target, const std::byte* source, Bytes size) {
  if (size.count() > 0) std::memcpy(target, source, static_cast<std::size_t>(size.count()));
}

CpuMemory& cpu_memory() {
  static CpuMemory memory;
  return memory;
}

}  // namespace wt::device
