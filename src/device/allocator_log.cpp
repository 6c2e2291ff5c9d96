// The text that TensorFlow logs when an allocator runs out of memory, with the same lines and words.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "device/allocator.h"
#include "device/out_of_memory.h"

namespace wt::device {

namespace {

std::string readable(std::int64_t bytes) { return human_readable(Bytes(bytes)); }

std::int64_t size_of_bin(std::size_t bin) { return allocation_granule.count() << bin; }

}  // namespace

std::string BfcAllocator::failure_log(Bytes bytes, std::string_view operation) const {
  const std::int64_t size = rounded_to_granule(bytes).count();
  // The missing space before "requested" and the repeated line are the same in TensorFlow.
  return fmt::format(
             "Allocator ({}) ran out of memory trying to allocate {} (rounded to {})requested by op {}\n"
             "If the cause is memory fragmentation maybe the environment variable "
             "'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \n"
             "Current allocation summary follows.\n"
             "Current allocation summary follows.\n"
             "BFCAllocator dump for {}\n",
             options_.allocator, readable(bytes.count()), size, operation, options_.allocator) +
         bins_text() + wanted_bin_text(size) + regions_text() + sizes_text() + statistics_text() +
         occupancy_text() + "\n";
}

std::string BfcAllocator::bins_text() const {
  struct Counts {
    std::int64_t chunks = 0, used_chunks = 0, bytes = 0, used_bytes = 0, requested = 0;
  };
  std::array<Counts, bin_count> counts{};
  for (const auto& [address, size, first] : regions_)
    for (ChunkId id = first; id != no_chunk; id = chunks_[id].next) {
      const Chunk& chunk = chunks_[id];
      Counts& bin = counts[bin_of(chunk.size)];
      ++bin.chunks;
      bin.bytes += chunk.size;
      if (!chunk.in_use) continue;
      ++bin.used_chunks;
      bin.used_bytes += chunk.size;
      bin.requested += chunk.requested;
    }
  std::string text;
  for (std::size_t bin = 0; bin < bin_count; ++bin)
    text += fmt::format(
        "Bin ({}): \tTotal Chunks: {}, Chunks in use: {}. {} allocated for chunks. {} in use in bin. {} "
        "client-requested in use in bin.\n",
        size_of_bin(bin), counts[bin].chunks, counts[bin].used_chunks, readable(counts[bin].bytes),
        readable(counts[bin].used_bytes), readable(counts[bin].requested));
  return text;
}

// The free chunks of the bin in which the search for the request begins.
std::string BfcAllocator::wanted_bin_text(std::int64_t size) const {
  const std::size_t bin = bin_of(size);
  std::string text =
      fmt::format("Bin for {} was {}, Chunk State: \n", readable(size), readable(size_of_bin(bin)));
  for (const Entry& entry : bins_[bin]) {
    const Chunk& chunk = chunks_[entry.chunk];
    text += chunk_text(entry.chunk);
    if (chunk.previous != no_chunk) text += ", prev: " + chunk_text(chunk.previous);
    if (chunk.next != no_chunk) text += ", next: " + chunk_text(chunk.next);
    text += "\n";
  }
  return text;
}

std::string BfcAllocator::chunk_text(ChunkId id) const {
  const Chunk& chunk = chunks_[id];
  return fmt::format("  Size: {} | Requested Size: {} | in_use: {} | bin_num: {}", readable(chunk.size),
                     readable(chunk.requested), chunk.in_use ? 1 : 0,
                     chunk.in_use ? -1 : static_cast<int>(bin_of(chunk.size)));
}

std::string BfcAllocator::regions_text() const {
  std::string text;
  for (const auto& [address, size, first] : regions_) {
    text += fmt::format("Next region of size {}\n", size);
    for (ChunkId id = first; id != no_chunk; id = chunks_[id].next)
      text += fmt::format("{} at {:x} of size {} next {}\n", chunks_[id].in_use ? "InUse" : "Free ",
                          chunks_[id].address, chunks_[id].size, chunks_[id].next);
  }
  return text;
}

std::string BfcAllocator::sizes_text() const {
  std::map<std::int64_t, std::int64_t> count_by_size;
  for (const auto& [address, id] : in_use_) ++count_by_size[chunks_[id].size];
  std::string text = "     Summary of in-use Chunks by size: \n";
  for (const auto& [size, count] : count_by_size)
    text += fmt::format("{} Chunks of size {} totalling {}\n", count, size, readable(size * count));
  return text + fmt::format("Sum Total of in-use chunks: {}\n", readable(statistics_.current.count()));
}

std::string BfcAllocator::statistics_text() const {
  const std::int64_t limit = options_.limit.count();
  const std::int64_t pool = statistics_.pool.count();
  std::string text = fmt::format(
      "total_region_allocated_bytes_: {} memory_limit_: {} available bytes: {} "
      "curr_region_allocation_bytes_: {}\n"
      "Stats: \n",
      pool, limit, limit - pool, next_region_);
  const auto line = [&](std::string_view name, std::int64_t value) {
    text += fmt::format("{:<17} {:>20}\n", name, value);
  };
  line("Limit:", limit);
  line("InUse:", statistics_.current.count());
  line("MaxInUse:", statistics_.peak.count());
  line("NumAllocs:", statistics_.allocations);
  line("MaxAllocSize:", statistics_.largest.count());
  line("Reserved:", 0);
  line("PeakReserved:", 0);
  line("LargestFreeBlock:", largest_free().count());
  return text + "\n";
}

// A picture of all regions with a hundred characters: * is memory in use, x is the unused rest of chunks in
// use, and _ is free.
std::string BfcAllocator::occupancy_text() const {
  if (regions_.empty()) return "<allocator contains no memory>";
  constexpr double width = 100;
  std::string text(static_cast<std::size_t>(width), '_');
  const auto total = static_cast<double>(statistics_.pool.count());
  const auto fill = [&](std::int64_t begin, std::int64_t size, char mark) {
    if (size == 0) return;
    const auto column = [&](std::int64_t at) {
      return std::min(text.size() - 1, static_cast<std::size_t>(static_cast<double>(at) * width / total));
    };
    for (std::size_t i = column(begin); i <= column(begin + size - 1); ++i) text[i] = mark;
  };
  std::int64_t offset = 0;  // the begin of the region, without the gaps between regions
  for (const auto& [address, size, first] : regions_) {
    for (ChunkId id = first; id != no_chunk; id = chunks_[id].next) {
      const Chunk& chunk = chunks_[id];
      if (!chunk.in_use) continue;
      const std::int64_t begin = offset + chunk.address - address;
      fill(begin + chunk.requested, chunk.size - chunk.requested, 'x');
      fill(begin, chunk.requested, '*');
    }
    offset += size;
  }
  return text;
}

}  // namespace wt::device
