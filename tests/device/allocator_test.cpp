// Compares the allocator with a simple model that has neither bins nor linked chunks: a list of pieces, which
// is searched linearly.
#include "device/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/quantity_literals.h"

namespace wt::device {
namespace {

using Piece = BfcAllocator::Piece;

// Garbage collection is off here. It has tests of its own.
MemoryOptions limited(Bytes limit) { return {.limit = limit, .garbage_collection = false}; }
MemoryOptions growing(Bytes limit) { return {.limit = limit, .growth = true, .garbage_collection = false}; }

std::int64_t at(std::optional<Bytes> address) { return address ? address->count() : -1; }

// The rules of the allocator, implemented a second time in the simplest way.
class Model {
 public:
  explicit Model(const MemoryOptions& options)
      : limit_(options.limit.count()),
        next_(options.growth ? std::min<std::int64_t>(limit_, 2 << 20) : limit_) {}

  // The address, or -1 if there is not enough memory.
  std::int64_t allocate(std::int64_t bytes) {
    const std::int64_t size = (bytes + 255) / 256 * 256;
    auto best = best_fit(size);
    if (!best && grow(size)) best = best_fit(size);
    if (!best) return -1;
    const auto [region, place] = *best;
    std::vector<Part>& parts = regions_[region];
    const Part whole = parts[place];
    if (whole.size >= 2 * size || whole.size - size >= 128 << 20) {
      parts[place].size = size;
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                   {whole.address + size, whole.size - size, false});
    }
    parts[place].in_use = true;
    current += parts[place].size;
    peak = std::max(peak, current);
    largest = std::max(largest, parts[place].size);
    return whole.address;
  }

  void free(std::int64_t address) {
    for (std::vector<Part>& parts : regions_)
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].address != address) continue;
        parts[i].in_use = false;
        current -= parts[i].size;
        if (i + 1 < parts.size()) join(parts, i);
        if (i > 0) join(parts, i - 1);
        return;
      }
    FAIL() << "nothing at " << address;
  }

  std::int64_t current = 0, peak = 0, largest = 0;

 private:
  struct Part {
    std::int64_t address = 0, size = 0;
    bool in_use = false;
  };

  // The region and the position of the smallest free part that is large enough. Among equal ones, it is the
  // lowest.
  std::optional<std::pair<std::size_t, std::size_t>> best_fit(std::int64_t size) const {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    std::int64_t best_size = 0;
    for (std::size_t region = 0; region < regions_.size(); ++region)
      for (std::size_t i = 0; i < regions_[region].size(); ++i) {
        const Part& part = regions_[region][i];
        if (part.in_use || part.size < size || (best && part.size >= best_size)) continue;
        best = {region, i};
        best_size = part.size;
      }
    return best;
  }

  bool grow(std::int64_t size) {
    const std::int64_t available = (limit_ - taken_) / 256 * 256;
    if (size > available) return false;
    const bool was_enough = next_ >= size;
    while (next_ < size) next_ *= 2;
    const std::int64_t region = std::min(next_, available);
    regions_.push_back({{taken_, region, false}});
    taken_ += region;
    if (was_enough) next_ *= 2;
    return true;
  }

  static void join(std::vector<Part>& parts, std::size_t i) {
    if (parts[i].in_use || parts[i + 1].in_use) return;
    parts[i].size += parts[i + 1].size;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }

  std::int64_t limit_, next_, taken_ = 0;
  std::vector<std::vector<Part>> regions_{};
};

// The invariants of the allocator, which hold after any sequence of allocations.
void expect_sound(const BfcAllocator& allocator) {
  Bytes pool{}, current{}, free{}, largest{}, before{};
  for (const BfcAllocator::Region& region : allocator.regions()) {
    ASSERT_GE(region.address, before) << "regions overlap";
    before = region.address + region.size;
    pool += region.size;
    Bytes end = region.address;
    bool was_free = false;
    for (const Piece& piece : region.pieces) {
      ASSERT_EQ(piece.address, end) << "pieces overlap, or leave a hole";
      ASSERT_EQ(piece.size.count() % 256, 0);
      end += piece.size;
      ASSERT_FALSE(was_free && !piece.in_use) << "neighbours were not merged at " << piece.address.count();
      was_free = !piece.in_use;
      if (piece.in_use) {
        ASSERT_GE(piece.size, piece.requested);
        ASSERT_EQ(piece.bin, std::nullopt);
        current += piece.size;
        continue;
      }
      free += piece.size;
      largest = std::max(largest, piece.size);
      std::size_t bin = 0;
      while (bin < 20 && piece.size.count() >= std::int64_t{512} << bin) ++bin;
      ASSERT_EQ(piece.bin, bin) << piece.size.count();
    }
    ASSERT_EQ(end, before) << "a region ends elsewhere";
  }
  ASSERT_EQ(allocator.statistics().pool, pool);
  ASSERT_EQ(allocator.statistics().current, current);
  ASSERT_GE(allocator.largest_free(), largest);
  ASSERT_EQ(allocator.free_bytes() - free, allocator.options().limit - pool);
}

// Random sizes, which are roughly evenly distributed over the bins.
Bytes random_size(std::mt19937_64& random) {
  const std::int64_t power = std::int64_t{1} << (random() % 24);
  return Bytes(power + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(power)));
}

// Runs the allocator and the model with the same calls and compares them.
class RandomTrace {
 public:
  RandomTrace(const MemoryOptions& options, std::uint64_t seed)
      : allocator_(options), model_(options), random_(seed) {}

  void run(int operations) {
    for (operation_ = 0; operation_ < operations && !testing::Test::HasFatalFailure(); ++operation_) {
      if (held_.empty() || random_() % 16 < 9)
        allocate(random_size(random_));
      else
        free_one();
      if (operation_ % 100 == 0) expect_sound(allocator_);
    }
    EXPECT_EQ(allocator_.statistics().allocations, allocations_);
    EXPECT_GT(refused_, 0) << "the trace never filled the memory";
  }

  void free_all() {
    while (!held_.empty()) free_one();
    EXPECT_EQ(allocator_.statistics().current, Bytes(0));
    for (const BfcAllocator::Region& region : allocator_.regions()) EXPECT_EQ(region.pieces.size(), 1u);
    expect_sound(allocator_);
  }

 private:
  void allocate(Bytes bytes) {
    const bool has_room = allocator_.largest_free() >= rounded_to_granule(bytes);
    const std::optional<Bytes> address = allocator_.allocate(bytes);
    ASSERT_EQ(address.has_value(), has_room) << bytes.count() << at_operation();
    ASSERT_EQ(at(address), model_.allocate(bytes.count())) << bytes.count() << at_operation();
    expect_same_statistics();
    if (!address) {
      ++refused_;
      return;
    }
    ++allocations_;
    held_.push_back(*address);
  }

  void free_one() {
    std::swap(held_[random_() % held_.size()], held_.back());
    allocator_.free(held_.back());
    model_.free(held_.back().count());
    held_.pop_back();
    expect_same_statistics();
  }

  void expect_same_statistics() {
    const MemoryStatistics& statistics = allocator_.statistics();
    ASSERT_EQ(statistics.current.count(), model_.current) << at_operation();
    ASSERT_EQ(statistics.peak.count(), model_.peak) << at_operation();
    ASSERT_EQ(statistics.largest.count(), model_.largest) << at_operation();
  }

  std::string at_operation() const { return fmt::format(" at operation {}", operation_); }

  BfcAllocator allocator_;
  Model model_;
  std::mt19937_64 random_;
  int operation_ = 0;
  std::vector<Bytes> held_{};
  std::int64_t allocations_ = 0, refused_ = 0;
};

constexpr int operations = 100'000;

TEST(Allocator, D8_KeepsItsPromisesOnRandomTracesWithoutGrowth) {
  for (const std::uint64_t seed : {1, 2}) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomTrace trace(limited(128_MiB), seed);
    trace.run(operations);
    trace.free_all();
  }
}

TEST(Allocator, D13_KeepsItsPromisesOnRandomTracesWithGrowth) {
  for (const std::uint64_t seed : {1, 2}) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomTrace trace(growing(128_MiB), seed);
    trace.run(operations);
    trace.free_all();
  }
}

TEST(Allocator, D8_TakesTheWholeLimitAtTheFirstAllocation) {
  BfcAllocator allocator(limited(1_GiB));
  EXPECT_EQ(allocator.statistics().pool, Bytes(0));
  EXPECT_EQ(at(allocator.allocate(Bytes(1))), 0);
  EXPECT_EQ(allocator.statistics().pool, 1_GiB);
  EXPECT_EQ(allocator.regions().size(), 1u);
  EXPECT_EQ(allocator.statistics().current, Bytes(256));
}

TEST(Allocator, D8_TakesNineTenthsAndAgainWhereTheDeviceGivesLess) {
  MemoryOptions options = limited(Bytes(256'000));
  options.obtainable = Bytes(200'000);
  BfcAllocator allocator(options);
  EXPECT_EQ(at(allocator.allocate(Bytes(1000))), 0);
  // 256,000 * 0.9 = 230,400 = 900 * 256; 207,360 = 810 * 256; 186,624 = 729 * 256.
  EXPECT_EQ(allocator.statistics().pool, Bytes(186'624));
  options.obtainable = Bytes(0);
  EXPECT_EQ(BfcAllocator(options).allocate(Bytes(256)), std::nullopt);
  EXPECT_EQ(BfcAllocator(options).allocate(Bytes(256'000)), std::nullopt);
}

TEST(Allocator, D13_GrowsFrom2MiBByDoublingAndNeverGivesBack) {
  BfcAllocator allocator(growing(1_GiB));
  const auto regions = [&] {
    std::vector<std::int64_t> mebibytes;
    for (const auto& region : allocator.regions()) mebibytes.push_back(region.size.count() >> 20);
    return mebibytes;
  };
  using Sizes = std::vector<std::int64_t>;
  const auto first = allocator.allocate(1_MiB);
  EXPECT_EQ(regions(), (Sizes{2}));
  allocator.allocate(1_MiB);
  EXPECT_EQ(regions(), (Sizes{2}));
  allocator.allocate(1_MiB);
  EXPECT_EQ(regions(), (Sizes{2, 4}));
  // The size is doubled until it is sufficient. After that, it is not doubled again for the next region.
  allocator.allocate(20_MiB);
  EXPECT_EQ(regions(), (Sizes{2, 4, 32}));
  allocator.allocate(32_MiB);
  EXPECT_EQ(regions(), (Sizes{2, 4, 32, 32}));
  // 954 MiB are left, which is less than the next region's size of 1024 MiB.
  allocator.allocate(600_MiB);
  EXPECT_EQ(regions(), (Sizes{2, 4, 32, 32, 954}));
  allocator.free(*first);
  EXPECT_EQ(allocator.statistics().pool, 1_GiB);
}

TEST(Allocator, D13_BeginsWithTheLimitWhereThatIsLessThan2MiB) {
  BfcAllocator allocator(growing(Bytes(1'000'000)));
  EXPECT_EQ(at(allocator.allocate(Bytes(100))), 0);
  EXPECT_EQ(allocator.statistics().pool, Bytes(999'936));  // 3906 * 256
}

TEST(Allocator, D9_HasEnoughInTotalButNoPieceIsLargeEnough) {
  BfcAllocator allocator(limited(Bytes(4096)));
  std::vector<Bytes> held;
  for (int i = 0; i < 4; ++i) held.push_back(*allocator.allocate(Bytes(1024)));
  allocator.free(held[0]);
  allocator.free(held[2]);
  EXPECT_EQ(allocator.free_bytes(), Bytes(2048));
  EXPECT_EQ(allocator.largest_free(), Bytes(1024));
  EXPECT_EQ(allocator.allocate(Bytes(1025)), std::nullopt);
  allocator.free(held[1]);  // is merged with both neighbours
  EXPECT_EQ(at(allocator.allocate(Bytes(3072))), 0);
}

TEST(Allocator, D9_RegionsOfGrowingMemoryNeverJoin) {
  BfcAllocator allocator(growing(6_MiB));
  const auto a = allocator.allocate(2_MiB), b = allocator.allocate(4_MiB);
  allocator.free(*a), allocator.free(*b);
  EXPECT_EQ(allocator.free_bytes(), 6_MiB);
  EXPECT_EQ(allocator.allocate(5_MiB), std::nullopt);
}

TEST(Allocator, GarbageCollectionGivesWhollyFreeRegionsBackWhenNothingFits) {
  MemoryOptions options = growing(6_MiB);
  options.garbage_collection = true;
  BfcAllocator allocator(options);
  const auto a = allocator.allocate(2_MiB), b = allocator.allocate(4_MiB);
  allocator.free(*a), allocator.free(*b);
  EXPECT_EQ(at(allocator.allocate(5_MiB)), 0);
  EXPECT_EQ(allocator.statistics().pool, 6_MiB);
  EXPECT_EQ(allocator.statistics().garbage_collections, 1);
  expect_sound(allocator);
  EXPECT_TRUE(garbage_collection_warning.starts_with(
      "Garbage collection: deallocate free memory regions (i.e., allocations) so that we can re-allocate"));
}

TEST(Allocator, GarbageCollectionKeepsRegionsInUseAndFillsGapsBetweenThem) {
  MemoryOptions options = growing(14_MiB);
  options.garbage_collection = true;
  BfcAllocator allocator(options);
  const auto a = allocator.allocate(2_MiB), b = allocator.allocate(4_MiB), c = allocator.allocate(8_MiB);
  allocator.free(*b);
  EXPECT_EQ(allocator.allocate(5_MiB), std::nullopt);
  EXPECT_EQ(at(allocator.allocate(3_MiB)), at(b));
  EXPECT_EQ(allocator.statistics().garbage_collections, 0);
  allocator.free(*a);
  allocator.free(*c);
  EXPECT_EQ(at(allocator.allocate(9_MiB)), 6 << 20);  // behind b; the gap of 2 MiB before b is too small
  expect_sound(allocator);
}

TEST(Allocator, GarbageCollectionKeepsARegionThatIsPartlyInUse) {
  MemoryOptions options = growing(6_MiB);
  options.garbage_collection = true;
  BfcAllocator allocator(options);
  const auto front = allocator.allocate(1_MiB), back = allocator.allocate(1_MiB),
             rest = allocator.allocate(4_MiB);
  allocator.free(*front);
  EXPECT_EQ(allocator.allocate(2_MiB), std::nullopt);
  allocator.free(*rest);
  EXPECT_EQ(allocator.allocate(5_MiB), std::nullopt);
  allocator.free(*back);
  EXPECT_EQ(at(allocator.allocate(5_MiB)), 0);
}

TEST(Allocator, GarbageCollectionKeepsItsPromisesOnARandomTrace) {
  MemoryOptions options = growing(64_MiB);
  options.garbage_collection = true;
  BfcAllocator allocator(options);
  std::mt19937_64 random(1);
  std::vector<Bytes> held;
  SCOPED_TRACE("seed 1");
  for (int i = 0; i < 20'000; ++i) {
    // All memory is freed from time to time, because only then regions become completely free.
    const bool emptying = i % 500 > 350;
    if (held.empty() || (!emptying && random() % 16 < 9)) {
      if (const auto address = allocator.allocate(random_size(random) * 4)) held.push_back(*address);
    } else {
      std::swap(held[random() % held.size()], held.back());
      allocator.free(held.back());
      held.pop_back();
    }
    if (i % 20 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_sound(allocator));
    std::vector<Bytes> in_use;
    for (const auto& region : allocator.regions())
      for (const Piece& piece : region.pieces)
        if (piece.in_use) in_use.push_back(piece.address);
    std::sort(held.begin(), held.end());
    ASSERT_EQ(in_use, held);
  }
  EXPECT_GT(allocator.statistics().garbage_collections, 0);
}

TEST(Allocator, SplitsWhenTheChunkIsTwiceAsLargeOr128MiBLarger) {
  const auto size_for = [](MemoryOptions options, Bytes bytes) {
    BfcAllocator allocator(std::move(options));
    allocator.allocate(bytes);
    return allocator.statistics().current;
  };
  EXPECT_EQ(size_for(limited(1000_MiB), 501_MiB), 501_MiB);
  EXPECT_EQ(size_for(limited(1000_MiB), 873_MiB), 1000_MiB);
  EXPECT_EQ(size_for(limited(1000_MiB), 872_MiB), 872_MiB);
  EXPECT_EQ(size_for(limited(200_MiB), 100_MiB), 100_MiB);
  EXPECT_EQ(size_for(limited(200_MiB), 101_MiB), 200_MiB);
  MemoryOptions tenth = limited(1000_MiB);
  tenth.fragmentation_fraction = 0.1;
  EXPECT_EQ(size_for(tenth, 899_MiB), 899_MiB);
  EXPECT_EQ(size_for(tenth, 901_MiB), 1000_MiB);
}

TEST(Allocator, RefusesTheLargestSizesWithoutOverflow) {
  BfcAllocator allocator(limited(Bytes(std::int64_t{1} << 60)));
  EXPECT_EQ(allocator.allocate(Bytes(std::numeric_limits<std::int64_t>::max())), std::nullopt);
  EXPECT_EQ(allocator.allocate(Bytes((std::int64_t{1} << 60) + 1)), std::nullopt);
  EXPECT_EQ(at(allocator.allocate(Bytes(std::int64_t{1} << 60))), 0);
  EXPECT_EQ(BfcAllocator(limited(Bytes(0))).allocate(Bytes(1)), std::nullopt);
  EXPECT_EQ(BfcAllocator(growing(Bytes(255))).allocate(Bytes(1)), std::nullopt);
}

TEST(Allocator, FailureIsLoggedAsByTensorFlow) {
  BfcAllocator allocator(limited(Bytes(4096)));
  allocator.allocate(Bytes(1000));
  const auto b = allocator.allocate(Bytes(700));
  allocator.allocate(Bytes(2000));
  allocator.free(*b);
  const std::string log = allocator.failure_log(256_MiB, "MatMul");
  const std::string_view head =
      "Allocator (GPU_0_bfc) ran out of memory trying to allocate 256.00MiB (rounded to 268435456)requested "
      "by op "
      "MatMul\n"
      "If the cause is memory fragmentation maybe the environment variable "
      "'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \n"
      "Current allocation summary follows.\n"
      "Current allocation summary follows.\n"
      "BFCAllocator dump for GPU_0_bfc\n"
      "Bin (256): \tTotal Chunks: 0, Chunks in use: 0. 0B allocated for chunks. 0B in use in bin. 0B "
      "client-requested in use in bin.\n"
      "Bin (512): \tTotal Chunks: 1, Chunks in use: 0. 768B allocated for chunks. 0B in use in bin. 0B "
      "client-requested in use in bin.\n"
      "Bin (1024): \tTotal Chunks: 1, Chunks in use: 1. 1.0KiB allocated for chunks. 1.0KiB in use in bin. "
      "1000B "
      "client-requested in use in bin.\n"
      "Bin (2048): \tTotal Chunks: 1, Chunks in use: 1. 2.2KiB allocated for chunks. 2.2KiB in use in bin. "
      "2.0KiB "
      "client-requested in use in bin.\n";
  EXPECT_EQ(log.substr(0, head.size()), head);
  const std::size_t tail = log.find("Bin for ");
  ASSERT_NE(tail, std::string::npos);
  EXPECT_EQ(log.substr(tail),
            "Bin for 256.00MiB was 256.00MiB, Chunk State: \n"
            "Next region of size 4096\n"
            "InUse at 0 of size 1024 next 1\n"
            "Free  at 400 of size 768 next 2\n"
            "InUse at 700 of size 2304 next 18446744073709551615\n"
            "     Summary of in-use Chunks by size: \n"
            "1 Chunks of size 1024 totalling 1.0KiB\n"
            "1 Chunks of size 2304 totalling 2.2KiB\n"
            "Sum Total of in-use chunks: 3.2KiB\n"
            "total_region_allocated_bytes_: 4096 memory_limit_: 4096 available bytes: 0 "
            "curr_region_allocation_bytes_: 8192\n"
            "Stats: \n"
            "Limit:                            4096\n"
            "InUse:                            3328\n"
            "MaxInUse:                         4096\n"
            "NumAllocs:                           3\n"
            "MaxAllocSize:                     2304\n"
            "Reserved:                            0\n"
            "PeakReserved:                        0\n"
            "LargestFreeBlock:                  768\n"
            "\n"
            "*************************__________________*************************************************"
            "*xxxxxxx\n");
}

}  // namespace
}  // namespace wt::device
