// What it costs here to compute a global batch with eight replicas instead of one device: fashion_cnn under Adam,
// mirrored. The work of the rows is the same; added are seven more updates, the all-reduce, and that kernels see
// an eighth of the rows. Steps of the two take turns; the ratio is the median over the pairs.
//
//   bench_replicas [--threads N] [--isa baseline|avx2|avx512]    wanted: at most 1.15 at 1,024 rows
//   bench_replicas --only 64    this batch alone
//   bench_replicas --profile    where the time goes, by kernel
#include "device/cpu/workers.h"
#include "train_step.h"

#include <ctime>

namespace wt::bench {
namespace {

constexpr std::int64_t batches[] = {64, 256, 1024};
constexpr std::int64_t replicas = 8;

void print_counts(const plan::Plan& plan) {
  std::size_t runs = 0, moves = 0, sums = 0;
  Bytes moved{};
  for (const plan::Node& node : plan.nodes) {
    runs += std::holds_alternative<plan::Run>(node.action);
    sums += std::holds_alternative<plan::Sum>(node.action);
    if (const auto* move = std::get_if<plan::Move>(&node.action)) ++moves, moved += payload(*move);
  }
  fmt::print("{:5} kernels, {:4} moves of {:6.2f} MiB, {:3} sums, {:6.2f} GFLOP", runs, moves,
             static_cast<double>(moved.count()) / (1 << 20), sums, flops_of(plan) / 1e9);
}

// Of this process, on all its threads: what others do on the machine isn't in it, threads that wait are.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Taken {
  std::vector<double> wall{}, processor{};  // by pair
  void step(Training& training) {
    const double start = processor_seconds();
    wall.push_back(training.seconds());
    processor.push_back(processor_seconds() - start);
  }
};

double ratio(const std::vector<double>& several, const std::vector<double>& one) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.size(); ++i) ratios.push_back(several[i] / one[i]);
  return median(ratios);
}

void print_pairs(std::int64_t batch, device::Workers& workers) {
  device::CpuQueue queue(workers);
  Training one(batch, queue), several(batch, queue, replicas);
  one.seconds(), several.seconds();
  Taken alone, together;
  const double until = now() + 5;
  while (now() < until || alone.wall.size() < 15) alone.step(one), together.step(several);
  const auto print_line = [](std::string_view name, const Taken& taken, const plan::Plan& plan) {
    fmt::print("  {:10} {:8.3f} ms, {:8.3f} of processors ", name, 1e3 * median(taken.wall),
               1e3 * median(taken.processor));
    print_counts(plan);
    fmt::print("\n");
  };
  fmt::print("{} rows\n", batch);
  print_line("1 device", alone, one.plan());
  print_line("8 replicas", together, several.plan());
  fmt::print("  ratio {:.3f}, of processor seconds {:.3f}: medians of {} pairs\n",
             ratio(together.wall, alone.wall), ratio(together.processor, alone.processor), alone.wall.size());
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const Words words = read_words(argc, argv);
  wt::device::Workers workers(words.threads);
  fmt::print("{} threads, {}\n", words.threads, name(wt::cpu::current_isa()));
  for (const std::int64_t batch : batches) {
    if (!words.only.empty() && words.only != fmt::format("{}", batch)) continue;
    if (!words.profile) {
      print_pairs(batch, workers);
      continue;
    }
    print_profile(batch, workers);
    print_profile(batch, workers, replicas);
  }
}
