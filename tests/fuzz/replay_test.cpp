// Claims: every input that once showed a defect, every seed, and mutants of both are read or refused as target.h and
// oracle.h say, each within seconds (`longest`). FUZZ_ROUNDS=100000 tries so many mutants of each target,
// and FUZZ_SEED others.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "fuzz/mutation.h"
#include "fuzz/oracle.h"

namespace wt::fuzz {

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

std::int64_t number_of(const char* name, std::int64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::atoll(given);
}

// An input's limit, in seconds of the processor, which other processes don't lengthen as they do those of the clock.
// Under the address sanitizer everything takes tens of times as long; tests/fuzz/run.sh has the same minute.
#if defined(__has_feature)
#define WT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define WT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || WT_HAS_FEATURE(address_sanitizer)
constexpr double longest = 60;
#else
constexpr double longest = 20;
#endif

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Fuzzed : public testing::TestWithParam<Target> {
 protected:
  static void expect_no_fault(const std::string& bytes, const std::string& what) {
    const double begin = processor_seconds();
    const std::string fault = fault_of(GetParam(), bytes);
    EXPECT_EQ(fault, "") << what << "\n" << bytes;
    EXPECT_LE(processor_seconds() - begin, longest) << what << "\n" << bytes;
  }
};

TEST_P(Fuzzed, SeedsAndWhatWasFound) {
  const std::vector<Seed> seeds = seeds_of(GetParam());
  ASSERT_FALSE(seeds.empty());
  for (const Seed& seed : seeds) expect_no_fault(seed.bytes, seed.name);
}

TEST_P(Fuzzed, Mutants) {
  const std::vector<Seed> seeds = seeds_of(GetParam());
  const std::int64_t rounds = number_of("FUZZ_ROUNDS", 100), first = number_of("FUZZ_SEED", 1);
  for (std::int64_t round = 0; round < rounds && !HasFailure(); ++round) {
    Random random(static_cast<std::uint64_t>(first + round));
    const Seed& seed = seeds[random() % seeds.size()];
    const std::string bytes = mutant(GetParam(), seed.bytes, random);
    expect_no_fault(bytes, fmt::format("a mutant of {}; FUZZ_SEED={}", seed.name, first + round));
  }
}

INSTANTIATE_TEST_SUITE_P(, Fuzzed, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace wt::fuzz
