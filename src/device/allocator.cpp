#include "device/allocator.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace wt::device {

namespace {

constexpr std::int64_t granule = allocation_granule.count();
constexpr std::int64_t first_region_with_growth = std::int64_t{2} << 20;
constexpr std::int64_t default_slack = std::int64_t{128} << 20;
constexpr std::int64_t largest_region = std::int64_t{1} << 62;  // doubling stops here

std::int64_t rounded_up(std::int64_t bytes) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / granule * granule;
  return bytes > most ? most : (bytes + granule - 1) / granule * granule;
}

std::int64_t rounded_down(std::int64_t bytes) { return bytes / granule * granule; }

}  // namespace

const std::string_view garbage_collection_warning =
    "Garbage collection: deallocate free memory regions (i.e., allocations) so that we can re-allocate a "
    "larger "
    "region to avoid OOM due to memory fragmentation. If you see this message frequently, you are running "
    "near "
    "the threshold of the available device memory and re-allocation may incur great performance overhead. "
    "You "
    "may try smaller batch sizes to observe the performance impact. Set "
    "TF_ENABLE_GPU_GARBAGE_COLLECTION=false "
    "if you'd like to disable this feature.";

Bytes rounded_to_granule(Bytes bytes) { return Bytes(rounded_up(bytes.count())); }

BfcAllocator::BfcAllocator(MemoryOptions options) : options_(std::move(options)) {
  const std::int64_t limit = options_.limit.count();
  WT_EXPECT(limit >= 0, "a memory limit of {} bytes", limit);
  slack_ = options_.fragmentation_fraction > 0
               ? static_cast<std::int64_t>(options_.fragmentation_fraction * static_cast<double>(limit))
               : default_slack;
  next_region_ = std::max(
      granule, std::min(largest_region,
                        rounded_up(options_.growth ? std::min(limit, first_region_with_growth) : limit)));
}

std::optional<Bytes> BfcAllocator::allocate(Bytes bytes) {
  WT_EXPECT(bytes.count() > 0, "an allocation of {} bytes", bytes.count());
  const std::int64_t size = rounded_up(bytes.count());
  ChunkId id = take_best_fit(size);
  if (id == no_chunk && extend(size)) id = take_best_fit(size);
  // At this point, TensorFlow waits up to 10 s for other threads to free memory. A plan has no other threads,
  // and in its canonical order everything that can be free at this node has been freed. Waiting would change
  // nothing.
  if (id == no_chunk && give_back_free_regions(size) && extend(size)) id = take_best_fit(size);
  if (id == no_chunk) return std::nullopt;
  // A chunk is split if it is at least twice as large as needed, or if too much of it would be wasted. The
  // condition is written so that it can't overflow.
  const std::int64_t spare = chunks_[id].size - size;
  if (spare >= size || spare >= slack_) split(id, size);
  use(id, bytes.count());
  return Bytes(chunks_[id].address);
}

void BfcAllocator::free(Bytes address) {
  const auto found = in_use_.find(address.count());
  WT_EXPECT(found != in_use_.end(), "nothing is allocated at {}", address.count());
  ChunkId id = found->second;
  in_use_.erase(found);
  chunks_[id].in_use = false;
  statistics_.current -= Bytes(chunks_[id].size);
  const auto is_free = [&](ChunkId other) { return other != no_chunk && !chunks_[other].in_use; };
  if (is_free(chunks_[id].next)) {
    remove_free(chunks_[id].next);
    absorb_next(id);
  }
  if (is_free(chunks_[id].previous)) {
    id = chunks_[id].previous;
    remove_free(id);
    absorb_next(id);
  }
  insert_free(id);
}

Bytes BfcAllocator::free_bytes() const { return statistics_.pool - statistics_.current + Bytes(untaken()); }

Bytes BfcAllocator::largest_free() const {
  for (std::size_t bin = bin_count; bin-- > 0;)
    if (!bins_[bin].empty()) return Bytes(std::max(bins_[bin].rbegin()->size, untaken()));
  return Bytes(untaken());
}

std::vector<BfcAllocator::Region> BfcAllocator::regions() const {
  std::vector<std::optional<std::size_t>> bin_of_chunk(chunks_.size());
  for (std::size_t bin = 0; bin < bin_count; ++bin)
    for (const Entry& entry : bins_[bin]) bin_of_chunk[entry.chunk] = bin;
  std::vector<Region> result;
  for (const Taken& region : regions_) {
    Region& shown = result.emplace_back(Region{Bytes(region.address), Bytes(region.size), {}});
    for (ChunkId id = region.first; id != no_chunk; id = chunks_[id].next)
      shown.pieces.push_back({Bytes(chunks_[id].address), Bytes(chunks_[id].size),
                              Bytes(chunks_[id].requested), chunks_[id].in_use, bin_of_chunk[id]});
  }
  return result;
}

std::size_t BfcAllocator::bin_of(std::int64_t size) {
  const auto granules = static_cast<std::uint64_t>(std::max(size, granule) / granule);
  return std::min(bin_count - 1, static_cast<std::size_t>(std::bit_width(granules) - 1));
}

// The part of the limit that is in no region yet.
std::int64_t BfcAllocator::untaken() const {
  const std::int64_t most = std::min(options_.limit, options_.obtainable.value_or(options_.limit)).count();
  return std::max<std::int64_t>(0, rounded_down(most - statistics_.pool.count()));
}

// Removes the smallest free chunk that is large enough from its bin. Among equal ones, it is the one with the
// lowest address.
BfcAllocator::ChunkId BfcAllocator::take_best_fit(std::int64_t size) {
  for (std::size_t bin = bin_of(size); bin < bin_count; ++bin) {
    const auto found = bins_[bin].lower_bound({size, 0, 0});
    if (found == bins_[bin].end()) continue;
    const ChunkId id = found->chunk;
    bins_[bin].erase(found);
    return id;
  }
  return no_chunk;
}

// Takes another region from the device. Each region is twice as large as the one before, as far as the limit
// allows.
bool BfcAllocator::extend(std::int64_t size) {
  const std::int64_t available = rounded_down(options_.limit.count() - statistics_.pool.count());
  if (size > available) return false;
  const auto doubled = [](std::int64_t region) { return std::min(region, largest_region / 2) * 2; };
  bool increased = false;
  for (; next_region_ < size; increased = true) next_region_ = doubled(next_region_);
  const std::int64_t obtained = obtain(std::min(next_region_, available), size);
  if (obtained == 0) return false;
  if (!increased) next_region_ = doubled(next_region_);
  add_region(obtained);
  return true;
}

// The size of the region that the device provides. While it has less than `wanted`, TensorFlow tries nine
// tenths of the size, with a factor of type float. For sizes from 256 to 2560 bytes, rounding up cancels the
// factor, and TensorFlow repeats the attempt forever. Here that is a failure.
std::int64_t BfcAllocator::obtain(std::int64_t wanted, std::int64_t at_least) const {
  const std::int64_t most = options_.obtainable.value_or(options_.limit).count() - statistics_.pool.count();
  while (wanted > most) {
    const std::int64_t less = rounded_up(static_cast<std::int64_t>(static_cast<float>(wanted) * 0.9F));
    if (less < at_least || less >= wanted) return 0;
    wanted = less;
  }
  return wanted;
}

// Inserts a region at the lowest address at which it fits between the other regions.
void BfcAllocator::add_region(std::int64_t size) {
  std::int64_t address = 0;
  auto place = regions_.begin();
  for (; place != regions_.end() && place->address - address < size; ++place)
    address = place->address + place->size;
  const ChunkId id = new_chunk();
  chunks_[id] = {.address = address, .size = size};
  regions_.insert(place, {address, size, id});
  statistics_.pool += Bytes(size);
  insert_free(id);
}

bool BfcAllocator::give_back_free_regions(std::int64_t size) {
  if (!options_.garbage_collection) return false;
  std::int64_t freed = 0;
  for (const Taken& region : regions_)
    if (is_wholly_free(region)) freed += region.size;
  if (freed == 0 || size > options_.limit.count() - statistics_.pool.count() + freed) return false;
  std::erase_if(regions_, [&](const Taken& region) {
    if (!is_wholly_free(region)) return false;
    remove_free(region.first);
    drop_chunk(region.first);
    return true;
  });
  statistics_.pool -= Bytes(freed);
  ++statistics_.garbage_collections;
  return true;
}

// Free neighbours are always merged, so a region without allocations is a single free chunk.
bool BfcAllocator::is_wholly_free(const Taken& region) const {
  return !chunks_[region.first].in_use && chunks_[region.first].next == no_chunk;
}

void BfcAllocator::use(ChunkId id, std::int64_t requested) {
  Chunk& chunk = chunks_[id];
  chunk.requested = requested;
  chunk.in_use = true;
  in_use_[chunk.address] = id;
  ++statistics_.allocations;
  statistics_.current += Bytes(chunk.size);
  statistics_.peak = std::max(statistics_.peak, statistics_.current);
  statistics_.largest = std::max(statistics_.largest, Bytes(chunk.size));
}

// Splits a chunk. The part behind `size` becomes a free chunk.
void BfcAllocator::split(ChunkId id, std::int64_t size) {
  const ChunkId rest = new_chunk();
  Chunk& chunk = chunks_[id];
  chunks_[rest] = {
      .address = chunk.address + size, .size = chunk.size - size, .previous = id, .next = chunk.next};
  if (chunk.next != no_chunk) chunks_[chunk.next].previous = rest;
  chunk.size = size;
  chunk.next = rest;
  insert_free(rest);
}

void BfcAllocator::absorb_next(ChunkId id) {
  const ChunkId gone = chunks_[id].next;
  chunks_[id].size += chunks_[gone].size;
  chunks_[id].next = chunks_[gone].next;
  if (chunks_[id].next != no_chunk) chunks_[chunks_[id].next].previous = id;
  drop_chunk(gone);
}

void BfcAllocator::insert_free(ChunkId id) {
  chunks_[id].requested = 0;
  bins_[bin_of(chunks_[id].size)].insert({chunks_[id].size, chunks_[id].address, id});
}

void BfcAllocator::remove_free(ChunkId id) {
  bins_[bin_of(chunks_[id].size)].erase({chunks_[id].size, chunks_[id].address, id});
}

BfcAllocator::ChunkId BfcAllocator::new_chunk() {
  if (unused_ == no_chunk) {
    chunks_.emplace_back();
    return chunks_.size() - 1;
  }
  const ChunkId id = unused_;
  unused_ = chunks_[id].next;
  return id;
}

void BfcAllocator::drop_chunk(ChunkId id) {
  chunks_[id] = {.next = unused_};
  unused_ = id;
}

}  // namespace wt::device
