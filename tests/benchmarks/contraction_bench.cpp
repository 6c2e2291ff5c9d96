// Matrix products and convolutions of two models, in GFLOP/s and as a share of what the FMA units can do.
//
//   bench_contraction [--threads N] [--isa baseline|avx2|avx512] [--only WORDS]    one line per case
//   bench_contraction --serve                                                      for against_pytorch.py
#include "device/cpu/workers.h"
#include "serve.h"

#include <cstdlib>
#include <memory>
#include <span>

#include "kernel/cpu/loops/contraction.h"

namespace wt::bench {
namespace {

using device::Workers;
using loops::Contraction;
using loops::Convolution;
using loops::ConvolutionRole;
using loops::MatrixProduct;

// ---- Cases ----

struct Case {
  std::string name;
  bool convolution = true;
  ConvolutionRole role = {};
  Convolution shape{};
  MatrixProduct product{};

  double flops() const {
    if (!convolution) return 2.0 * static_cast<double>(product.batch * product.m * product.n * product.k);
    return 2.0 *
           static_cast<double>(shape.batch * shape.out_height * shape.out_width * shape.out_channels *
                               shape.filter_height * shape.filter_width * shape.channels / shape.groups);
  }
};

struct Layer {
  const char* model = nullptr;
  std::int64_t batch = 0, size = 0, channels = 0, out_channels = 0, filter = 0, stride = 0, padding = 0;
};

// Every different convolution of ResNet-50 (He and others, 2015), and the strided 3 x 3 of its later variant.
constexpr Layer layers[] = {
    {"fashion_cnn", 64, 28, 1, 32, 3, 1, 0},  {"fashion_cnn", 64, 13, 32, 64, 3, 1, 0},
    {"resnet50", 8, 224, 3, 64, 7, 2, 3},     {"resnet50", 8, 56, 64, 64, 1, 1, 0},
    {"resnet50", 8, 56, 64, 64, 3, 1, 1},     {"resnet50", 8, 56, 64, 256, 1, 1, 0},
    {"resnet50", 8, 56, 256, 64, 1, 1, 0},    {"resnet50", 8, 56, 256, 128, 1, 2, 0},
    {"resnet50", 8, 56, 256, 512, 1, 2, 0},   {"resnet50", 8, 56, 128, 128, 3, 2, 1},
    {"resnet50", 8, 28, 128, 128, 3, 1, 1},   {"resnet50", 8, 28, 128, 512, 1, 1, 0},
    {"resnet50", 8, 28, 512, 128, 1, 1, 0},   {"resnet50", 8, 28, 512, 1024, 1, 2, 0},
    {"resnet50", 8, 28, 512, 256, 1, 2, 0},   {"resnet50", 8, 14, 256, 256, 3, 1, 1},
    {"resnet50", 8, 14, 256, 1024, 1, 1, 0},  {"resnet50", 8, 14, 1024, 256, 1, 1, 0},
    {"resnet50", 8, 14, 1024, 2048, 1, 2, 0}, {"resnet50", 8, 14, 1024, 512, 1, 2, 0},
    {"resnet50", 8, 7, 512, 512, 3, 1, 1},    {"resnet50", 8, 7, 512, 2048, 1, 1, 0},
    {"resnet50", 8, 7, 2048, 512, 1, 1, 0}};

std::vector<Case> cases() {
  std::vector<Case> all{{"product 2048", false, {}, {}, {1, 2048, 2048, 2048}},
                        {"product 512", false, {}, {}, {1, 512, 512, 512}}};
  for (const Layer& l : layers) {
    const std::int64_t out = (l.size + 2 * l.padding - l.filter) / l.stride + 1;
    const Convolution shape{l.batch, l.size,    l.size,         l.channels, l.filter, l.filter,
                            out,     out,       l.out_channels, l.stride,   l.stride, 1,
                            1,       l.padding, l.padding,      1};
    const auto name = [&](const char* role) {
      return fmt::format("{} {}x{}x{} {}x{}/{} {} {}", l.model, l.size, l.size, l.channels, l.filter,
                         l.filter, l.stride, l.out_channels, role);
    };
    all.push_back({name("forward"), true, ConvolutionRole::forward, shape});
    if (l.channels > 3) all.push_back({name("input_gradient"), true, ConvolutionRole::input_gradient, shape});
    all.push_back({name("filter_gradient"), true, ConvolutionRole::filter_gradient, shape});
  }
  return all;
}

// ---- Running ----

class Bench {
 public:
  explicit Bench(const Case& what) : case_(what) {
    const Convolution& c = what.shape;
    const std::int64_t input = c.batch * c.height * c.width * c.channels;
    const std::int64_t filter = c.filter_height * c.filter_width * c.channels / c.groups * c.out_channels;
    const std::int64_t output = c.batch * c.out_height * c.out_width * c.out_channels;
    if (!what.convolution) {
      const MatrixProduct& p = what.product;
      allocate(p.batch * p.m * p.k, p.batch * p.k * p.n, p.batch * p.m * p.n);
      work_ = loops_.product_work(p);
    } else {
      if (what.role == ConvolutionRole::forward) allocate(input, filter, output);
      if (what.role == ConvolutionRole::input_gradient) allocate(output, filter, input);
      if (what.role == ConvolutionRole::filter_gradient) allocate(input, output, filter);
      work_ = loops_.convolution_work(c, what.role);
    }
    workspace_ = aligned(work_.workspace_bytes);
  }

  double seconds(Workers& workers) {
    const loops::Operands operands{a_.get(), b_.get(), c_.get()};
    const double start = now();
    for (int phase = 0; phase < loops::contraction_phases; ++phase) {
      if (work_.tiles[phase] == 0) continue;
      workers.run(work_.tiles[phase], [&](std::int64_t tile, std::span<std::byte> scratch) {
        if (case_.convolution) {
          loops_.convolution_tile(case_.shape, case_.role, phase, tile, operands, workspace_.get(),
                                  scratch.data());
        } else {
          loops_.product_tile(case_.product, phase, tile, operands, workspace_.get(), scratch.data());
        }
      });
    }
    return now() - start;
  }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<float, Free>;

  static Memory aligned(std::int64_t bytes) {
    const std::size_t size = (static_cast<std::size_t>(bytes) + 127) / 64 * 64;
    Memory memory(static_cast<float*>(std::aligned_alloc(64, size)));
    for (std::size_t i = 0; i < size / sizeof(float); ++i)
      memory.get()[i] = static_cast<float>(i * 2654435761u % 1000) / 500.0f - 1.0f;
    return memory;
  }
  void allocate(std::int64_t a, std::int64_t b, std::int64_t c) {
    a_ = aligned(4 * a), b_ = aligned(4 * b), c_ = aligned(4 * c);
  }

  const Contraction& loops_ = WT_LOOPS(loops::contraction);
  const Case& case_;
  loops::Work work_;
  Memory a_, b_, c_, workspace_;
};

void print_all(Workers& workers, const std::string& only) {
  const double peak = peak_flops(cpu::current_isa(), workers.threads());
  fmt::print("{} threads, {}, {:.1f} GFLOP/s at most\n", workers.threads(), name(cpu::current_isa()),
             peak / 1e9);
  for (const Case& what : cases()) {
    if (what.name.find(only) == std::string::npos) continue;
    Bench bench(what);
    std::vector<double> seconds;
    const double until = now() + 0.3;
    while (seconds.size() < 5 || (now() < until && seconds.size() < 200))
      seconds.push_back(bench.seconds(workers));
    const double rate = what.flops() / median(seconds);
    fmt::print("{:52} {:9.1f} MFLOP {:8.3f} ms {:7.1f} GFLOP/s {:5.1f} %\n", what.name, what.flops() / 1e6,
               1e3 * median(seconds), rate / 1e9, 100 * rate / peak);
    std::fflush(stdout);
  }
}

// Fields of a case for the script on the other side.
std::string describe(const Case& what) {
  const Convolution& c = what.shape;
  const MatrixProduct& p = what.product;
  if (!what.convolution)
    return fmt::format("product\t{}\t{}\t{}\t{}\t{}", what.name, what.flops(), p.m, p.n, p.k);
  constexpr const char* roles[] = {"forward", "input_gradient", "filter_gradient"};
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", roles[static_cast<int>(what.role)], what.name,
                     what.flops(), c.batch, c.height, c.channels, c.out_channels, c.filter_height, c.stride_y,
                     c.pad_top);
}

void serve_all(Workers& workers) {
  const std::vector<Case> all = cases();
  std::vector<Served> served;
  for (const Case& what : all)
    served.push_back({describe(what), [&] {
                        const auto bench = std::make_shared<Bench>(what);
                        return [&workers, bench] { return bench->seconds(workers); };
                      }});
  serve(served, workers.threads());
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const Words words = read_words(argc, argv);
  wt::device::Workers workers(words.threads);
  if (words.serve) {
    serve_all(workers);
  } else {
    print_all(workers, words.only);
  }
}
