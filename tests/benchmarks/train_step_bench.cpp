// One training step of the Fashion-MNIST CNN, as train::Model does it: forward, backward, Adam, loss and
// accuracy.
//
//   bench_train_step [--threads N] [--isa baseline|avx2|avx512]    one line per batch size
//   bench_train_step --profile    where the time goes, by kernel
//   bench_train_step --serve      for against_pytorch.py
#include "device/cpu/workers.h"
#include "train_step.h"

namespace wt::bench {
namespace {

constexpr std::int64_t batches[] = {64, 256};

void print_step(std::int64_t batch, device::Workers& workers, double peak) {
  device::CpuQueue queue(workers);
  Training training(batch, queue);
  std::vector<double> seconds;
  training.seconds();
  const double until = now() + 2;
  while (now() < until) seconds.push_back(training.seconds());
  const double step = median(seconds), rate = flops_of(training.plan()) / step;
  fmt::print("batch {:4} {:8.3f} ms {:8.0f} images/s {:7.1f} GFLOP/s {:5.1f} % of peak\n", batch, 1e3 * step,
             static_cast<double>(batch) / step, rate / 1e9, 100 * rate / peak);
}

void serve_steps(device::Workers& workers) {
  device::CpuQueue queue(workers);
  std::vector<Served> served;
  for (const std::int64_t batch : batches) {
    const double flops = flops_of(Training(batch, queue).plan());
    served.push_back(
        {fmt::format("train_step\tfashion_cnn, batch {}\t{}\t{}", batch, flops, batch), [&queue, batch] {
           const auto training = std::make_shared<Training>(batch, queue);
           return [training] { return training->seconds(); };
         }});
  }
  serve(served, workers.threads());
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const Words words = read_words(argc, argv);
  wt::device::Workers workers(words.threads);
  if (words.serve) {
    serve_steps(workers);
    return 0;
  }
  const double peak = peak_flops(wt::cpu::current_isa(), words.threads);
  fmt::print("{} threads, {}, {:.1f} GFLOP/s at most\n", words.threads, name(wt::cpu::current_isa()),
             peak / 1e9);
  for (const std::int64_t batch : batches) {
    if (words.profile) {
      print_profile(batch, workers);
    } else {
      print_step(batch, workers, peak);
    }
  }
}
