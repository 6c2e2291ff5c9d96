#include "execute/measure_copies.h"

#include <algorithm>
#include <tuple>

#include "base/median.h"
#include "device/stopwatch.h"

namespace wt::execute {

namespace {

constexpr std::string_view host = "host";
constexpr Bytes sizes[] = {Bytes(std::int64_t{4} << 10), Bytes(std::int64_t{64} << 20)};

// A copy that is bound to addresses. It is the argument of a task.
struct Copy {
  void (*run)(const Copy& copy, device::Memory& memory) = nullptr;
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  Bytes bytes{};

  std::span<std::byte> to_host() const { return {target, static_cast<std::size_t>(bytes.count())}; }
  std::span<const std::byte> from_host() const { return {source, static_cast<std::size_t>(bytes.count())}; }
};

void write(const Copy& copy, device::Memory& memory) { memory.write(copy.target, copy.from_host()); }
void read(const Copy& copy, device::Memory& memory) { memory.read(copy.to_host(), copy.source); }
void move(const Copy& copy, device::Memory& memory) { memory.copy(copy.target, copy.source, copy.bytes); }

// Runs a copy several times, one after the other. The runs are not captured, since a copy from or to the host
// waits for the host.
Seconds time_of(const Copy& copy, device::Queue& queue, const MeasureOptions& options) {
  const std::unique_ptr<device::Stopwatch> stopwatch = queue.stopwatch(2);
  const device::Task task{[](const void* work, device::Queue& running) {
                            const auto& bound = *static_cast<const Copy*>(work);
                            bound.run(bound, running.memory());
                          },
                          &copy};
  std::vector<double> seconds;
  for (int run = 0; run < options.warm_up + options.at_least; ++run) {
    for (const device::Task& next : {stopwatch->mark(0), task, stopwatch->mark(1)}) queue.enqueue(next);
    queue.synchronize();
    if (run >= options.warm_up) seconds.push_back(stopwatch->between(0, 1).count());
  }
  return Seconds(median(std::move(seconds)));
}

// The measurement of all pairs with one size.
class CopyMeasurement {
 public:
  CopyMeasurement(std::span<const CopyPlace> places, Bytes bytes, const MeasureOptions& options)
      : places_(places), bytes_(bytes), options_(options), on_host_(static_cast<std::size_t>(bytes.count())) {
    for (const CopyPlace& place : places) {
      device::Memory& memory = place.queue->memory();
      for (auto* blocks : {&sources_, &targets_}) blocks->push_back(memory.allocate(bytes));
      // Clearing writes to every page, since untouched pages may all be mapped to one page of zeros.
      if (sources_.back() != nullptr) memory.clear(sources_.back().get(), bytes);
    }
  }

  void run(std::vector<plan::ProfiledCopy>& found) {
    for (std::size_t to = 0; to < places_.size(); ++to) {
      const bool is_apart = places_[to].queue->backend() != device::Backend::cpu;
      if (is_apart) time(host, places_[to].name, {write, target(to), on_host_.data(), bytes_}, to, found);
      if (is_apart) time(places_[to].name, host, {read, on_host_.data(), target(to), bytes_}, to, found);
      for (std::size_t from = 0; from < places_.size(); ++from)
        time(places_[from].name, places_[to].name, {move, target(to), source(from), bytes_}, from, found);
    }
  }

 private:
  std::byte* source(std::size_t place) const { return sources_[place].get(); }
  std::byte* target(std::size_t place) const { return targets_[place].get(); }

  void time(std::string_view from, std::string_view to, const Copy& copy, std::size_t by,
            std::vector<plan::ProfiledCopy>& found) const {
    if (copy.source == nullptr || copy.target == nullptr) return;
    found.push_back(
        {std::string(from), std::string(to), bytes_, time_of(copy, *places_[by].queue, options_)});
  }

  std::span<const CopyPlace> places_;
  Bytes bytes_;
  const MeasureOptions& options_;
  std::vector<std::byte> on_host_;
  std::vector<std::shared_ptr<std::byte>> sources_{}, targets_{};  // by place
};

}  // namespace

std::vector<plan::ProfiledCopy> measure_copies(std::span<const CopyPlace> places,
                                               const MeasureOptions& options) {
  std::vector<plan::ProfiledCopy> found;
  for (const Bytes bytes : sizes) CopyMeasurement(places, bytes, options).run(found);
  std::ranges::stable_sort(found, [](const plan::ProfiledCopy& a, const plan::ProfiledCopy& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  return found;
}

}  // namespace wt::execute
