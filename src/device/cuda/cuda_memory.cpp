#include "device/cuda/cuda_memory.h"

#include <algorithm>
#include <cstring>

#include "device/cuda/check.h"

namespace wt::device {

namespace {

std::size_t bytes_of(Bytes size) { return static_cast<std::size_t>(size.count()); }

}  // namespace

CudaMemory::CudaMemory(const CudaDevice& device, cudaStream_t stream)
    : device_(device),
      stream_(stream),
      own_{[](void** data, std::size_t size) { return cudaMalloc(data, size); },
           [](void* data) { return cudaFree(data); }},
      page_locked_{
          [](void** data, std::size_t size) { return cudaHostAlloc(data, size, cudaHostAllocDefault); },
          [](void* data) { return cudaFreeHost(data); }} {}

// Errors are ignored in the destructor. An error of earlier work has been thrown already or is no longer of
// interest.
CudaMemory::~CudaMemory() {
  cudaSetDevice(device_.ordinal);
  for (Kind* kind : {&own_, &page_locked_})
    for (const Block& block : kind->idle.take_all()) kind->free(block.data);
  for (const Piece& piece : pieces_) {
    if (piece.done != nullptr) cudaEventDestroy(piece.done);
    if (piece.data != nullptr) cudaFreeHost(piece.data);
  }
}

void CudaMemory::use() const { check(cudaSetDevice(device_.ordinal), "use", device_); }

std::shared_ptr<std::byte> CudaMemory::allocate(Bytes size) { return allocate(own_, size); }

std::shared_ptr<std::byte> CudaMemory::allocate_on_host(Bytes size) { return allocate(page_locked_, size); }

std::shared_ptr<std::byte> CudaMemory::allocate(Kind& kind, Bytes size) {
  use();
  Block block{nullptr, std::max(size, Bytes(1))};
  if (const auto waiting = kind.idle.take(block.size))
    block = *waiting;
  else
    block.data = from_driver(kind, block.size);
  if (block.data == nullptr) return nullptr;
  clear(block.data, block.size);
  return {block.data, [&kind, block](std::byte*) { kind.idle.put(block); }};
}

// Allocates memory from the driver. If the driver has not enough, the idle blocks are freed and the call is
// repeated.
std::byte* CudaMemory::from_driver(Kind& kind, Bytes size) {
  for (const bool is_last : {false, true}) {
    void* data = nullptr;
    const cudaError_t status = kind.allocate(&data, bytes_of(size));
    if (status != cudaErrorMemoryAllocation) {
      check(status, "allocate", device_);
      return static_cast<std::byte*>(data);
    }
    cudaGetLastError();  // resets the error, because a lack of memory is a legal result
    if (!is_last) give_idle_back(kind);
  }
  return nullptr;
}

void CudaMemory::give_idle_back(Kind& kind) {
  for (const Block& block : kind.idle.take_all()) check(kind.free(block.data), "free", device_);
}

Bytes CudaMemory::available() const {
  use();
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "read the free memory", device_);
  return Bytes(free) + own_.idle.size();
}

CudaMemory::Piece& CudaMemory::next_piece() {
  Piece& piece = pieces_[next_];
  next_ = (next_ + 1) % pieces_.size();
  if (piece.data == nullptr) make(piece);
  check(cudaEventSynchronize(piece.done), "wait for a copy", device_);
  return piece;
}

void CudaMemory::make(Piece& piece) {
  if (piece.done == nullptr)
    check(cudaEventCreateWithFlags(&piece.done, cudaEventDisableTiming), "create an event", device_);
  void* data = nullptr;
  check(cudaHostAlloc(&data, piece_bytes, cudaHostAllocDefault), "allocate page-locked memory", device_);
  piece.data = static_cast<std::byte*>(data);
}

void CudaMemory::write(std::byte* target, std::span<const std::byte> bytes) {
  use();
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece_bytes) {
    const std::size_t size = std::min(piece_bytes, bytes.size() - begin);
    Piece& piece = next_piece();
    std::memcpy(piece.data, bytes.data() + begin, size);
    check(cudaMemcpyAsync(target + begin, piece.data, size, cudaMemcpyDefault, stream_), "copy from the host",
          device_);
    check(cudaEventRecord(piece.done, stream_), "record an event", device_);
  }
}

// Up to pieces_.size() copies are in flight at the same time. They are completed in their order.
void CudaMemory::read(std::span<std::byte> bytes, const std::byte* source) {
  use();
  std::array<const Piece*, std::tuple_size_v<decltype(pieces_)>> on_the_way{};
  const std::size_t count = (bytes.size() + piece_bytes - 1) / piece_bytes;
  const auto size_of = [&](std::size_t i) { return std::min(piece_bytes, bytes.size() - i * piece_bytes); };
  for (std::size_t issued = 0, taken = 0; taken < count;) {
    if (issued < count && issued - taken < on_the_way.size()) {
      Piece& piece = next_piece();
      check(cudaMemcpyAsync(piece.data, source + issued * piece_bytes, size_of(issued), cudaMemcpyDefault,
                            stream_),
            "copy to the host", device_);
      check(cudaEventRecord(piece.done, stream_), "record an event", device_);
      on_the_way[issued++ % on_the_way.size()] = &piece;
    } else {
      const Piece& piece = *on_the_way[taken % on_the_way.size()];
      check(cudaEventSynchronize(piece.done), "copy to the host", device_);
      std::memcpy(bytes.data() + taken * piece_bytes, piece.data, size_of(taken));
      ++taken;
    }
  }
}

void CudaMemory::clear(std::byte* target, Bytes size) {
  if (size.count() == 0) return;
  use();
  check(cudaMemsetAsync(target, 0, bytes_of(size), stream_), "clear", device_);
}

// CUDA knows to which GPU an address belongs, or that it is page-locked memory of the host. Between two GPUs, this call does the same as
// cudaMemcpyPeerAsync: the copy is direct if peer access was enabled (cuda_team.cpp), and otherwise goes
// through the memory of the host.
void CudaMemory::copy(std::byte* target, const std::byte* source, Bytes size) {
  if (size.count() == 0) return;
  check(cudaMemcpyAsync(target, source, bytes_of(size), cudaMemcpyDefault, stream_), "copy", device_);
}

}  // namespace wt::device
