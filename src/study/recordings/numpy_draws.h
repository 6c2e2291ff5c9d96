#pragma once
// The numbers that NumPy's default_rng draws for a seed, from which recorded programs make their rows:
//
//   NumpyDraws draws(11);
//   const std::vector<double> x = draws.normal(4 * rows);                 // rng.normal(size=(rows, 4))
//   const std::vector<std::int64_t> y = draws.integers(0, 3, rows);       // rng.integers(0, 3, size=rows)
//
// The bits are those of PCG64 (O'Neill, 2014, XSL-RR 128/64), seeded as numpy/random/bit_generator.pyx does it; normal
// numbers come from a ziggurat of 256 layers (Marsaglia and Tsang, 2000), and whole ones from Lemire's multiplication
// (2019), as in numpy/random/src/distributions.

#include <cstdint>
#include <optional>
#include <vector>

namespace wt::recordings {

class NumpyDraws {
 public:
  explicit NumpyDraws(std::uint32_t seed);

  std::vector<double> normal(std::int64_t count);
  // Requires: low < high, and high - low is less than 2^32.
  std::vector<std::int64_t> integers(std::int64_t low, std::int64_t high, std::int64_t count);

 private:
  __extension__ using Wide = unsigned __int128;
  void step();
  std::uint64_t next64();
  std::uint32_t next32();
  double next_double();
  double next_normal();

  Wide state_ = 0, increment_ = 0;
  std::optional<std::uint32_t> half_{};  // of a number whose other half was taken by next32
};

}  // namespace wt::recordings
