#pragma once
// The seeds of operations that have none of their own, in a program that calls tf.random.set_seed. TensorFlow draws them
// one after the other from Python's random.Random(global_seed).randint(0, 2**31 - 1).

#include <array>
#include <cstdint>

namespace wt {

class OperationSeeds {
 public:
  explicit OperationSeeds(std::uint64_t global_seed);
  std::int64_t next();  // in [0, 2^31)

 private:
  std::uint32_t word();  // of the Mersenne Twister MT19937

  std::array<std::uint32_t, 624> state_{};
  std::size_t used_ = 624;
};

}  // namespace wt
