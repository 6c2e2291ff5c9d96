// Claims: every input that once showed a defect, every seed, and mutants of both are read or refused as target.h and
// oracle.h say, each within a minute of the processor's time. FUZZ_ROUNDS=100000 tries so many mutants of each target,
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

// Inputs for which the time grew with the square of a number in them took longer. Others take up to two seconds, and
// tens of times as long under a sanitizer. It is the processor's time, since other processes don't lengthen that, and
// as many seconds as tests/fuzz/run.sh allows.
constexpr double longest = 60;

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
