#pragma once
// TensorFlow's BFC allocator ("best fit with coalescing", after Doug Lea's), on addresses instead of memory:
// used when a plan is made, so that a shape-only plan runs out of memory exactly where a real one would. The
// rules are those of tsl/framework/bfc_allocator.cc; texts are those of TensorFlow 2.x before its spatial
// partitioning.

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

// How a logical device gets its memory.
struct MemoryOptions {
  std::string allocator = "GPU_0_bfc";  // its name in messages
  Bytes limit{};
  bool growth = false;                // begin small and double, instead of taking the limit at once
  bool garbage_collection = true;     // give wholly free regions back (TF_ENABLE_GPU_GARBAGE_COLLECTION)
  double fragmentation_fraction = 0;  // of the limit: largest slack kept in a chunk; 0: 128 MiB
  std::optional<Bytes> obtainable{};  // what the device can really give; absent: all of the limit
};

// What tf.config.experimental.get_memory_info tells (current, peak), and more. In use are whole chunks.
struct MemoryStatistics {
  Bytes current{};
  Bytes peak{};
  std::int64_t allocations = 0;
  Bytes largest{};                       // allocation
  Bytes pool{};                          // all regions: what the process has taken from the device
  std::int64_t garbage_collections = 0;  // each gives garbage_collection_warning once
};

extern const std::string_view garbage_collection_warning;

// Sizes are rounded up to this.
inline constexpr Bytes allocation_granule{256};
Bytes rounded_to_granule(Bytes bytes);  // saturates instead of overflowing

class BfcAllocator {
 public:
  static constexpr std::size_t bin_count = 21;  // bin b: sizes from 256 * 2^b; the last has no upper end

  // A piece of a region, in use or free, and the bin it waits in when it is free.
  struct Piece {
    Bytes address{};
    Bytes size{};
    Bytes requested{};
    bool in_use = false;
    std::optional<std::size_t> bin{};
  };
  // One contiguous sub-allocation. Pieces never span two, since GPUs' sub-allocators don't join them.
  struct Region {
    Bytes address{};
    Bytes size{};
    std::vector<Piece> pieces{};  // by address
  };

  explicit BfcAllocator(MemoryOptions options);

  std::optional<Bytes> allocate(Bytes bytes);  // its address, or nothing: out of memory. Requires: bytes > 0.
  void free(Bytes address);                    // Requires: allocated.

  const MemoryOptions& options() const { return options_; }
  const MemoryStatistics& statistics() const { return statistics_; }
  void reset_peak() { statistics_.peak = statistics_.current; }  // reset_memory_stats
  Bytes free_bytes() const;    // in all pieces together, and what may still be taken from the device
  Bytes largest_free() const;  // the largest of them
  std::vector<Region> regions() const;

  // What TensorFlow logs when an allocation fails: a line, a hint, and a dump of bins and chunks.
  std::string failure_log(Bytes bytes, std::string_view operation) const;

 private:
  using ChunkId = std::size_t;
  static constexpr ChunkId no_chunk = static_cast<ChunkId>(-1);  // prints as TensorFlow's does

  struct Chunk {
    std::int64_t address = 0;
    std::int64_t size = 0;
    std::int64_t requested = 0;
    bool in_use = false;
    ChunkId previous = no_chunk;
    ChunkId next = no_chunk;
  };
  // Free chunks of a bin, by size, then by address.
  struct Entry {
    std::int64_t size = 0;
    std::int64_t address = 0;
    ChunkId chunk = no_chunk;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  // A region's first chunk stays the same: splits and merges keep the lower one.
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
  std::int64_t slack_;        // of a chunk: as much is split off
  std::int64_t next_region_;  // size of the next region, if it is enough
  MemoryStatistics statistics_{};
  std::vector<Taken> regions_{};  // by address
  std::vector<Chunk> chunks_{};
  ChunkId unused_ = no_chunk;  // dropped chunks, linked by `next`, the latest first
  std::array<std::set<Entry>, bin_count> bins_{};
  std::unordered_map<std::int64_t, ChunkId> in_use_{};  // by address
};

}  // namespace wt::device
