#include <cstring>
#include <memory>

#include "emulation/api/call.h"

namespace wt::emulation {
namespace {

// Rows of bytes.
struct Area {
  std::byte* data = nullptr;
  std::size_t pitch = 0, width = 0, height = 0;

  std::size_t bytes() const { return width * height; }
  Touch touch() const { return {data, (height - 1) * pitch + width}; }
  std::byte* row(std::size_t i) const { return data + i * pitch; }
};

void copy(const Area& to, const Area& from) {
  for (std::size_t i = 0; i < to.height; ++i) std::memcpy(to.row(i), from.row(i), to.width);
}

// "Pageable" is what CUDA calls memory of the host that isn't page-locked.
enum class Side { host, pageable, device };

Side side_of(const Memory& memory, const Area& area) {
  if (memory.home(area.data) != Memory::host) return Side::device;
  return memory.is_known(area.data) ? Side::host : Side::pageable;
}

bool agree(cudaMemcpyKind kind, Side to, Side from) {
  if (kind == cudaMemcpyDefault) return true;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return to_device == (to == Side::device) && from_device == (from == Side::device);
}

bool is_there(const Memory& memory, Side side, const Area& area) {
  return side == Side::pageable || memory.holds(area.data, area.touch().size);
}

// From pageable memory the bytes are taken at once; to it the host waits.
cudaError_t enqueue_copy(Machine& m, Stream& stream, Area to, Area from, cudaMemcpyKind kind) {
  if (to.bytes() == 0) return cudaSuccess;
  if (to.width > to.pitch || from.width > from.pitch) return cudaErrorInvalidValue;
  const Side target = side_of(m.memory, to), source = side_of(m.memory, from);
  if (!is_there(m.memory, target, to) || !is_there(m.memory, source, from)) return cudaErrorInvalidValue;
  if (!agree(kind, target, source)) return cudaErrorInvalidMemcpyDirection;
  const bool is_pageable = target == Side::pageable || source == Side::pageable;
  if (is_pageable && stream.capture != nullptr) return cudaErrorNotSupported;
  Work work{.device = stream.device, .seconds = seconds_of(to.bytes()), .is_copy = true};
  if (target != Side::pageable) work.touches.push_back(to.touch());
  if (source != Side::pageable) {
    work.touches.push_back(from.touch());
    work.run = [to, from] { copy(to, from); };
  } else {
    const std::shared_ptr<std::byte[]> taken(new std::byte[from.bytes()]);
    const Area dense{taken.get(), from.width, from.width, from.height};
    copy(dense, from);
    work.run = [to, dense, taken] { copy(to, dense); };
  }
  const cudaError_t status = m.enqueue(stream, std::move(work));
  if (target != Side::pageable || status != cudaSuccess) return status;
  m.run(stream);
  return m.fault(stream.device);
}

cudaError_t enqueue_set(Machine& m, Stream& stream, Area to, int value) {
  if (to.bytes() == 0) return cudaSuccess;
  if (to.width > to.pitch || !m.memory.holds(to.data, to.touch().size)) return cudaErrorInvalidValue;
  return m.enqueue(stream, {.device = stream.device,
                            .seconds = seconds_of(to.bytes()),
                            .touches = {to.touch()},
                            .run = [to, value] {
                              for (std::size_t i = 0; i < to.height; ++i)
                                std::memset(to.row(i), value, to.width);
                            }});
}

Area area(const void* data, std::size_t pitch, std::size_t width, std::size_t height) {
  return {static_cast<std::byte*>(const_cast<void*>(data)), pitch, width, height};
}

}  // namespace
}  // namespace wt::emulation

using namespace wt::emulation;

cudaError_t cudaMalloc(void** data, std::size_t size) {
  return call_that_may_wait([&](Machine& m) {
    *data = size == 0 ? nullptr : m.memory.allocate(m.current, size);
    return *data == nullptr && size > 0 ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFree(void* data) {
  return call_that_may_wait([&](Machine& m) {
    if (data == nullptr) return cudaSuccess;
    m.run_all();  // CUDA waits for the device
    return m.memory.free(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostAlloc(void** data, std::size_t size, unsigned flags) {
  return call_that_may_wait([&](Machine& m) {
    if (flags != cudaHostAllocDefault) return cudaErrorNotSupported;
    *data = size == 0 ? nullptr : m.memory.allocate_pinned(size);
    return cudaSuccess;
  });
}

// Whether CUDA waits here its manual doesn't say, so whoever frees must have waited.
cudaError_t cudaFreeHost(void* data) {
  return call_that_may_wait([&](Machine& m) {
    return data == nullptr || m.memory.free_pinned(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&](Machine& m) {
    *total = m.memory.bytes();
    *free = *total - m.memory.used(m.current);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, size, from, size, size, 1, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t handle) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    return enqueue_copy(m, stream, area(to, to_pitch, width, height), area(from, from_pitch, width, height),
                        kind);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size, cudaStream_t stream) {
  return cudaMemset2DAsync(to, size, value, size, 1, stream);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t handle) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    return enqueue_set(m, stream, area(to, pitch, width, height), value);
  });
}
