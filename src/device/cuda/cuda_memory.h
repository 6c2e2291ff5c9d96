#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "device/cuda_device.h"
#include "device/idle_blocks.h"
#include "device/memory.h"

namespace wt::device {

// One GPU's memory, worked on in the order of one stream.
class CudaMemory final : public Memory {
 public:
  CudaMemory(const CudaDevice& device, cudaStream_t stream);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  std::shared_ptr<std::byte> allocate(Bytes size) override;  // must be given back before the memory ends
  Bytes available() const override;                          // what the driver has, and what waits here
  bool is_scarce() const override { return true; }

  void write(std::byte* target, std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> bytes, const std::byte* source) override;
  void clear(std::byte* target, Bytes size) override;
  void copy(std::byte* target, const std::byte* source, Bytes size) override;  // of any GPU

 private:
  // Copies pass through pieces of page-locked memory, in turn: while the GPU fetches one, the host fills the next. A
  // piece is there from when it is first needed.
  struct Piece {
    std::byte* data = nullptr;
    cudaEvent_t done = nullptr;  // its last copy
  };
  static constexpr std::size_t piece_bytes = std::size_t{8} << 20;
  Piece& next_piece();
  void make(Piece& piece);

  void use() const;
  std::byte* from_driver(Bytes size);  // null: there isn't enough
  void give_idle_back();

  const CudaDevice& device_;
  cudaStream_t stream_;
  std::array<Piece, 8> pieces_{};
  std::size_t next_ = 0;
  IdleBlocks idle_{};
};

}  // namespace wt::device
