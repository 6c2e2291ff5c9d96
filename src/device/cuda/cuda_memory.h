#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "device/cuda_device.h"
#include "device/idle_blocks.h"
#include "device/memory.h"

namespace wt::device {

// The memory of a GPU. Its operations run in the order of one stream.
class CudaMemory final : public Memory {
 public:
  CudaMemory(const CudaDevice& device, cudaStream_t stream);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  std::shared_ptr<std::byte> allocate(Bytes size) override;          // must be freed before this object
  std::shared_ptr<std::byte> allocate_on_host(Bytes size) override;  // likewise
  Bytes available() const override;  // the driver's free memory plus the idle blocks
  bool is_scarce() const override { return true; }

  void write(std::byte* target, std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> bytes, const std::byte* source) override;
  void clear(std::byte* target, Bytes size) override;
  void copy(std::byte* target, const std::byte* source, Bytes size) override;  // between any GPUs

 private:
  // Copies between the host and the GPU pass through several pieces of page-locked memory, in a cycle. While
  // the GPU copies from one piece, the host fills the next one. A piece is allocated when it is first needed.
  struct Piece {
    std::byte* data = nullptr;
    cudaEvent_t done = nullptr;  // the end of the last copy from or to this piece
  };
  static constexpr std::size_t piece_bytes = std::size_t{8} << 20;
  Piece& next_piece();
  void make(Piece& piece);

  // GPU memory or page-locked host memory: how it is allocated and freed, and its freed blocks that wait for reuse.
  struct Kind {
    cudaError_t (*allocate)(void** data, std::size_t size) = nullptr;
    cudaError_t (*free)(void* data) = nullptr;
    IdleBlocks idle{};
  };

  void use() const;
  std::shared_ptr<std::byte> allocate(Kind& kind, Bytes size);
  std::byte* from_driver(Kind& kind, Bytes size);  // null if there is not enough memory
  void give_idle_back(Kind& kind);

  const CudaDevice& device_;
  cudaStream_t stream_;
  std::array<Piece, 8> pieces_{};
  std::size_t next_ = 0;
  Kind own_, page_locked_;
};

}  // namespace wt::device
