// Claim: every pair of memories of a machine is measured, with few bytes and with many, and nothing else is.
// The clock is simulated: a copy advances it by the time that the rate of its pair gives.
#include "execute/measure_copies.h"

#include <gtest/gtest.h>

#include <map>

#include "device/cpu/cpu_queue.h"
#include "device/stopwatch.h"

namespace wt {
namespace {

using execute::CopyPlace;

// A memory whose copies take one second plus one per MiB, times 1 within a device, 10 from the host and 100
// to the host. No bytes are copied, since that would take real seconds.
class SlowMemory final : public device::CpuMemory {
 public:
  explicit SlowMemory(Bytes most) : most_(most) {}

  std::shared_ptr<std::byte> allocate(Bytes size) override {
    return size > most_ ? nullptr : CpuMemory::allocate(size);
  }
  void write(std::byte*, std::span<const std::byte> bytes) override { pass(bytes.size(), 10); }
  void read(std::span<std::byte> bytes, const std::byte*) override { pass(bytes.size(), 100); }
  void copy(std::byte*, const std::byte*, Bytes size) override {
    pass(static_cast<std::size_t>(size.count()), 1);
  }
  void clear(std::byte*, Bytes) override {}
  Seconds now() const { return now_; }

 private:
  void pass(std::size_t bytes, double times) {
    now_ += Seconds(times * (1 + static_cast<double>(bytes) / (1 << 20)));
  }
  Bytes most_;
  Seconds now_{};
};

class SlowQueue final : public device::Queue {
 public:
  SlowQueue(device::Workers& workers, device::Backend backend, Bytes most = Bytes(std::int64_t{1} << 40))
      : memory_(most), queue_(workers, memory_), backend_(backend) {}

  device::Backend backend() const override { return backend_; }
  device::Memory& memory() override { return memory_; }
  void enqueue(device::Task task) override { task.run(task.work, *this); }
  device::Event record() override { return queue_.record(); }
  void wait(const device::Event& event) override { queue_.wait(event); }
  void synchronize() override {}
  void begin_capture() override { queue_.begin_capture(); }
  device::Captured end_capture() override { return queue_.end_capture(); }
  void replay(const device::Captured& captured) override { queue_.replay(captured); }
  std::unique_ptr<device::Stopwatch> stopwatch(std::size_t marks) override {
    return device::stopwatch_by([this] { return memory_.now(); }, marks);
  }

 private:
  SlowMemory memory_;
  device::CpuQueue queue_;
  device::Backend backend_;
};

using Found = std::map<std::pair<std::string, std::string>, std::vector<std::pair<double, double>>>;

// The measured MiB and seconds, by pair of memories.
Found found(const std::vector<CopyPlace>& places) {
  Found found;
  for (const plan::ProfiledCopy& copy : execute::measure_copies(places))
    found[{copy.from, copy.to}].emplace_back(static_cast<double>(copy.bytes.count()) / (1 << 20),
                                             copy.seconds.count());
  return found;
}

class MeasuredCopies : public testing::Test {
 protected:
  device::Workers workers_{1};
};

// n devices with memory of their own have n^2 pairs among them and 2 n from and to the host.
TEST_F(MeasuredCopies, TakeEveryWayBetweenTheHostAndTwoGpus) {
  SlowQueue a(workers_, device::Backend::cuda), b(workers_, device::Backend::cuda);
  const Found ways = found({{"GPU 0", &a}, {"GPU 1", &b}});
  ASSERT_EQ(ways.size(), 8u);
  for (const auto& [way, copies] : ways) {
    const double times = way.first == "host" ? 10 : way.second == "host" ? 100 : 1;
    ASSERT_EQ(copies.size(), 2u) << way.first << " " << way.second;
    EXPECT_LT(copies[0].first * 1000, copies[1].first) << "few bytes, and many";
    for (const auto& [mib, seconds] : copies) EXPECT_NEAR(seconds / (times * (1 + mib)), 1, 1e-12);
  }
}

TEST_F(MeasuredCopies, OfTheHostAloneAreItsOwn) {
  SlowQueue cpu(workers_, device::Backend::cpu);
  const Found ways = found({{"host", &cpu}});
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways.begin()->first, (std::pair<std::string, std::string>{"host", "host"}));
}

TEST_F(MeasuredCopies, LeaveOutWhatFindsNoPlace) {
  SlowQueue a(workers_, device::Backend::cuda), small(workers_, device::Backend::cuda, Bytes(1 << 20));
  const Found ways = found({{"GPU 0", &a}, {"GPU 1", &small}});
  for (const auto& [way, copies] : ways) {
    const bool needs_small = way.first == "GPU 1" || way.second == "GPU 1";
    EXPECT_EQ(copies.size(), needs_small ? 1u : 2u) << way.first << " " << way.second;
  }
}

}  // namespace
}  // namespace wt
