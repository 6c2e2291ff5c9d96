#include "study/recordings/numpy_draws.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace wt::recordings {

namespace {

// ---- numpy.random.SeedSequence

using Pool = std::array<std::uint32_t, 4>;

// Each call mixes with another constant.
class Hash {
 public:
  Hash(std::uint32_t constant, std::uint32_t factor) : constant_(constant), factor_(factor) {}
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= factor_;
    value *= constant_;
    return value ^ value >> 16U;
  }

 private:
  std::uint32_t constant_, factor_;
};

Pool pool_of(std::uint32_t seed) {
  Hash hash(0x43b0d7e5, 0x931e8875);
  Pool pool{};
  for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = hash(i == 0 ? seed : 0);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to) {
      if (from == to) continue;
      const std::uint32_t mixed = 0xca01f9ddU * pool[to] - 0x4973f715U * hash(pool[from]);
      pool[to] = mixed ^ mixed >> 16U;
    }
  return pool;
}

std::array<std::uint64_t, 4> words_of(const Pool& pool) {
  Hash hash(0x8b51f9dd, 0x58f38ded);
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < 2 * words.size(); ++i)
    words[i / 2] |= static_cast<std::uint64_t>(hash(pool[i % pool.size()])) << (i % 2 * 32);
  return words;
}

// ---- The ziggurat

struct Ziggurat {
  static constexpr double end = 3.6541528853610087963519472518;  // where the tail begins
  std::array<std::uint64_t, 256> inside{};    // below it a number lies in its layer for certain
  std::array<double, 256> width{}, height{};  // of the layers

  Ziggurat() {
    const double scale = 0x1p52, half_pi = 1.57079632679489661923;
    const double at_end = std::exp(-0.5 * end * end);
    const double area = end * at_end + std::sqrt(half_pi) * std::erfc(end / std::sqrt(2.0));
    const double base = area / at_end;
    inside[0] = static_cast<std::uint64_t>(end / base * scale);
    width[0] = base / scale;
    width[255] = end / scale;
    height[0] = 1;
    height[255] = at_end;
    double outer = end;
    for (std::size_t layer = 254; layer > 0; --layer) {
      const double inner = std::sqrt(-2 * std::log(area / outer + std::exp(-0.5 * outer * outer)));
      inside[layer + 1] = static_cast<std::uint64_t>(inner / outer * scale);
      height[layer] = std::exp(-0.5 * inner * inner);
      width[layer] = inner / scale;
      outer = inner;
    }
  }
};

}  // namespace

NumpyDraws::NumpyDraws(std::uint32_t seed) {
  const std::array<std::uint64_t, 4> words = words_of(pool_of(seed));
  increment_ = (static_cast<Wide>(words[2]) << 64U | words[3]) << 1U | 1U;
  step();
  state_ += static_cast<Wide>(words[0]) << 64U | words[1];
  step();
}

void NumpyDraws::step() {
  constexpr Wide factor = static_cast<Wide>(2549297995355413924ULL) << 64U | 4865540595714422341ULL;
  state_ = state_ * factor + increment_;
}

std::uint64_t NumpyDraws::next64() {
  step();
  const auto high = static_cast<std::uint64_t>(state_ >> 64U), low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58U));
}

std::uint32_t NumpyDraws::next32() {
  if (half_) return *std::exchange(half_, std::nullopt);
  const std::uint64_t both = next64();
  half_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

double NumpyDraws::next_double() { return static_cast<double>(next64() >> 11U) * 0x1p-53; }

double NumpyDraws::next_normal() {
  static const Ziggurat ziggurat;
  while (true) {
    const std::uint64_t bits = next64();
    const std::size_t layer = bits & 0xffU;
    const bool is_negative = (bits >> 8U & 1U) != 0;
    const std::uint64_t place = bits >> 9U & 0x000fffffffffffffULL;
    const double size = static_cast<double>(place) * ziggurat.width[layer];
    if (place < ziggurat.inside[layer]) return is_negative ? -size : size;
    if (layer == 0) {
      while (true) {
        const double beyond = -std::log1p(-next_double()) / Ziggurat::end;
        const double other = -std::log1p(-next_double());
        if (2 * other > beyond * beyond)
          return (place >> 8U & 1U) != 0 ? -(Ziggurat::end + beyond) : Ziggurat::end + beyond;
      }
    }
    const double rise = ziggurat.height[layer - 1] - ziggurat.height[layer];
    if (rise * next_double() + ziggurat.height[layer] < std::exp(-0.5 * size * size))
      return is_negative ? -size : size;
  }
}

std::vector<double> NumpyDraws::normal(std::int64_t count) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(next_normal());
  return numbers;
}

std::vector<std::int64_t> NumpyDraws::integers(std::int64_t low, std::int64_t high, std::int64_t count) {
  const auto range = static_cast<std::uint32_t>(high - low);
  const std::uint32_t refused_below = (0U - range) % range;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t product = 0;
    do product = static_cast<std::uint64_t>(next32()) * range;
    while (static_cast<std::uint32_t>(product) < refused_below);
    numbers.push_back(low + static_cast<std::int64_t>(product >> 32U));
  }
  return numbers;
}

}  // namespace wt::recordings
