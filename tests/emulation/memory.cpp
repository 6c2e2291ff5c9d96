#include "emulation/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace wt::emulation {
namespace {

constexpr std::size_t granule = 512;
constexpr int nan_byte = 0xff;  // four or eight of them are a NaN, one is no bool

std::size_t rounded(std::size_t size) {
  return (std::max<std::size_t>(size, 1) + granule - 1) / granule * granule;
}

// Where nothing else of the process lies, and with a lower half that small numbers don't have: in a kernel's argument a
// number beside the forgotten half of a pointer is no address then.
void* next_range(std::size_t bytes) {
  static std::uintptr_t next = 0x1000'd000'0000;
  constexpr std::uintptr_t step = std::uintptr_t{1} << 32;
  return reinterpret_cast<void*>(std::exchange(next, next + (bytes + step - 1) / step * step));
}

}  // namespace

Memory::Memory(int devices, std::size_t bytes_of_each)
    : bytes_(bytes_of_each / granule * granule), ranges_(static_cast<std::size_t>(devices)) {
  for (Range& range : ranges_) {
    void* const begin =
        mmap(next_range(bytes_), bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    WT_EXPECT(begin != MAP_FAILED, "no addresses for a GPU of {} bytes", bytes_);
    range.begin = static_cast<std::byte*>(begin);
  }
}

Memory::~Memory() {
  for (const Range& range : ranges_) munmap(range.begin, bytes_);
  for (const auto& [data, size] : pinned_) delete[] data;
}

// The first gap that is large enough.
void* Memory::allocate(int device, std::size_t size) {
  Range& own = range(device);
  std::byte* place = own.begin;
  const std::size_t wanted = rounded(size);
  if (wanted > bytes_) return nullptr;
  for (const auto& [data, taken] : own.blocks) {
    if (static_cast<std::size_t>(data - place) >= wanted) break;
    place = data + rounded(taken);
  }
  const std::size_t end = static_cast<std::size_t>(place - own.begin) + wanted;
  if (end > bytes_) return nullptr;
  own.blocks.emplace(place, size);
  close_all();
  own.used = std::max(own.used, end);
  open(device);
  std::memset(place, nan_byte, wanted);
  close_all();
  return place;
}

bool Memory::free(void* data) {
  const int device = home(data);
  if (device == host) return false;
  Blocks& blocks = range(device).blocks;
  const auto found = blocks.find(static_cast<std::byte*>(data));
  if (found == blocks.end()) return false;
  close_all();
  blocks.erase(found);
  give_back(range(device));
  return true;
}

// Behind the last block the process has no pages, so that there is little to open and close.
void Memory::give_back(Range& own) {
  std::byte* end = own.begin;
  if (!own.blocks.empty())
    end = std::prev(own.blocks.end())->first + rounded(std::prev(own.blocks.end())->second);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t left = (static_cast<std::size_t>(end - own.begin) + page - 1) / page * page;
  if (left >= own.used) return;
  madvise(own.begin + left, own.used - left, MADV_DONTNEED);
  own.used = left;
}

void Memory::open(int device) {
  Range& own = range(device);
  if (std::exchange(own.is_open, true) || own.used == 0) return;
  WT_EXPECT(mprotect(own.begin, own.used, PROT_READ | PROT_WRITE) == 0, "GPU {}'s memory can't be opened",
            device);
}

void Memory::close_all() {
  for (Range& each : ranges_)
    if (std::exchange(each.is_open, false) && each.used > 0)
      WT_EXPECT(mprotect(each.begin, each.used, PROT_NONE) == 0, "a GPU's memory can't be closed");
}

void* Memory::allocate_pinned(std::size_t size) {
  auto* data = new std::byte[rounded(size)];
  std::memset(data, nan_byte, rounded(size));
  pinned_.emplace(data, size);
  return data;
}

bool Memory::free_pinned(void* data) {
  const auto found = pinned_.find(static_cast<std::byte*>(data));
  if (found == pinned_.end()) return false;
  delete[] found->first;
  pinned_.erase(found);
  return true;
}

int Memory::home(const void* data) const {
  const auto* address = static_cast<const std::byte*>(data);
  const auto found = std::ranges::find_if(
      ranges_, [&](const Range& range) { return address >= range.begin && address < range.begin + bytes_; });
  return found == ranges_.end() ? host : static_cast<int>(found - ranges_.begin());
}

// A pointer to no bytes may stand at a block's end.
bool Memory::has(const Blocks& blocks, const void* data, std::size_t size) {
  auto* address = const_cast<std::byte*>(static_cast<const std::byte*>(data));
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return false;
  const auto& [begin, length] = *--after;
  return static_cast<std::size_t>(address - begin) + size <= std::max<std::size_t>(length, 1);
}

bool Memory::is_pinned(const void* data, std::size_t size) const { return has(pinned_, data, size); }

bool Memory::is_known(const void* data) const { return home(data) != host || is_pinned(data, 0); }

bool Memory::holds(const void* data, std::size_t size) const {
  const int device = home(data);
  if (device != host && has(range(device).blocks, data, size)) return true;
  return is_pinned(data, size);
}

std::size_t Memory::used(int device) const {
  std::size_t sum = 0;
  for (const auto& [data, size] : range(device).blocks) sum += rounded(size);
  return sum;
}

std::size_t Memory::blocks() const {
  std::size_t sum = pinned_.size();
  for (const Range& each : ranges_) sum += each.blocks.size();
  return sum;
}

}  // namespace wt::emulation
