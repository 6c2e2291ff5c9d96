#pragma once
// TensorFlow's allocator for GPU memory, BFC ("best fit with coalescing", a simplified version of Doug Lea's
// malloc). This implementation assigns addresses only and has no memory behind them. The memory planner uses
// it, so that a simulated training runs out of memory exactly where TensorFlow would.
//
// The allocator takes regions of memory from the device: the whole limit at once, or, with memory growth,
// regions of increasing size. Regions are divided into chunks. An allocation gets the smallest free chunk
// that is large enough, which is split if too much of it would be wasted, and a freed chunk is merged with
// its free neighbours. Free chunks are kept in bins by size.
//
// The rules are those of tsl/framework/bfc_allocator.cc. The texts are those of the versions of TensorFlow 2
// before bfc_allocator.cc got its spatial partitioning.

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/quantity.h"

namespace wt::device {

// The memory configuration of a logical device.
struct MemoryOptions {
  std::string allocator = "GPU_0_bfc";  // the name of the allocator in messages
  Bytes limit{};
  bool growth = false;  // memory growth: begin with 2 MiB and double, instead of taking the limit at once
  bool garbage_collection = true;     // return free regions to the device (TF_ENABLE_GPU_GARBAGE_COLLECTION)
  double fragmentation_fraction = 0;  // the share of the limit that may be wasted in a chunk; 0: 128 MiB
  // The compiler of a TPU rounds what float32 kernels hand on to bfloat16, as its matrix units do with what they read.
  bool rounds_activations = false;
  std::optional<Bytes> obtainable{};  // the memory that the device really has, if that is less than the limit
};

// The values of tf.config.experimental.get_memory_info (current, peak) and others. Sizes are those of whole
// chunks.
struct MemoryStatistics {
  Bytes current{};  // in use
  Bytes peak{};
  std::int64_t allocations = 0;
  Bytes largest{};  // the largest allocation
  Bytes pool{};     // the sum of all regions, which the process has taken from the device
  std::int64_t garbage_collections = 0;  // the caller reports garbage_collection_warning once for each
};

extern const std::string_view garbage_collection_warning;  // TensorFlow's log line

// The sizes of chunks are multiples of this number.
inline constexpr Bytes allocation_granule{256};
Bytes rounded_to_granule(Bytes bytes);  // rounds up; saturates instead of overflowing

// The allocator of one logical device.
class BfcAllocator {
 public:
  static constexpr std::size_t bin_count = 21;  // bin b: chunks from 256 * 2^b bytes up to the next bin

  // A chunk as `regions` returns it. `bin` is set for free chunks only.
  struct Piece {
    Bytes address{};
    Bytes size{};
    Bytes requested{};
    bool in_use = false;
    std::optional<std::size_t> bin{};
  };
  // Contiguous memory that was taken from the device at once. Chunks never span two regions.
  struct Region {
    Bytes address{};
    Bytes size{};
    std::vector<Piece> pieces{};  // sorted by address
  };

  explicit BfcAllocator(MemoryOptions options);

  std::optional<Bytes> allocate(Bytes bytes);  // the address; nothing if out of memory. Requires: bytes > 0.
  void free(Bytes address);                    // Requires: `address` is allocated.

  const MemoryOptions& options() const { return options_; }
  const MemoryStatistics& statistics() const { return statistics_; }
  void reset_peak() { statistics_.peak = statistics_.current; }  // reset_memory_stats
  Bytes free_bytes() const;    // in all free chunks, plus the memory that may still be taken from the device
  Bytes largest_free() const;  // the largest free chunk, or that memory if it is larger
  std::vector<Region> regions() const;  // sorted by address

  // The text that TensorFlow logs when an allocation fails: the request, a hint, and a dump of bins and
  // chunks.
  std::string failure_log(Bytes bytes, std::string_view operation) const;

 private:
  using ChunkId = std::size_t;
  static constexpr ChunkId no_chunk = static_cast<ChunkId>(-1);  // is printed in the dump, as in TensorFlow

  struct Chunk {
    std::int64_t address = 0;
    std::int64_t size = 0;
    std::int64_t requested = 0;
    bool in_use = false;
    ChunkId previous = no_chunk;
    ChunkId next = no_chunk;
  };
  // A free chunk in a bin. Bins are sorted by size, then by address.
  struct Entry {
    std::int64_t size = 0;
    std::int64_t address = 0;
    ChunkId chunk = no_chunk;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  // A region. Its first chunk keeps its id, because splits and merges keep the chunk with the lower address.
  struct Taken {
    std::int64_t address = 0;
    std::int64_t size = 0;
    ChunkId first = no_chunk;
  };

  static std::size_t bin_of(std::int64_t size);
  std::int64_t untaken() const;
  ChunkId take_best_fit(std::int64_t size);
  bool extend(std::int64_t size);
  std::int64_t obtain(std::int64_t wanted, std::int64_t at_least) const;
  void add_region(std::int64_t size);
  bool give_back_free_regions(std::int64_t size);
  void use(ChunkId id, std::int64_t requested);
  void split(ChunkId id, std::int64_t size);
  void absorb_next(ChunkId id);
  void insert_free(ChunkId id);
  void remove_free(ChunkId id);
  ChunkId new_chunk();
  void drop_chunk(ChunkId id);
  bool is_wholly_free(const Taken& region) const;
  std::string bins_text() const;
  std::string wanted_bin_text(std::int64_t size) const;
  std::string chunk_text(ChunkId id) const;
  std::string regions_text() const;
  std::string sizes_text() const;
  std::string statistics_text() const;
  std::string occupancy_text() const;

  MemoryOptions options_;
  std::int64_t slack_;        // a chunk is split if at least this much of it would be wasted
  std::int64_t next_region_;  // the size of the next region, if that is sufficient
  MemoryStatistics statistics_{};
  std::vector<Taken> regions_{};  // sorted by address
  std::vector<Chunk> chunks_{};
  ChunkId unused_ = no_chunk;  // a list of removed chunks, linked by `next`, whose ids are used again
  std::array<std::set<Entry>, bin_count> bins_{};
  std::unordered_map<std::int64_t, ChunkId> in_use_{};  // by address
};

}  // namespace wt::device
