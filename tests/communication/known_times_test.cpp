#include "communication/known_times.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "communication/own_moves.h"
#include "platform/load.h"

namespace wt::communication {
namespace {

platform::Platform two_machines(const std::string& nic = "100 Gb/s") {
  return platform::load("dgx_a100", {platform::parse_parameter("machines=2"),
                                     platform::parse_parameter("machine.nics.bandwidth=" + nic)})
      .platform;
}

Call all_reduce(const Group& group, std::string_view algorithm, std::int64_t elements) {
  return call_of(group, collective::algorithm_named(collective::Operation::all_reduce, algorithm),
                 {.ranks = group.size(), .elements = elements}, {});
}

TEST(KnownTimes, EqualCallsOnEqualMachinesAreSimulatedOnce) {
  KnownTimes known;
  const platform::Platform here = two_machines(), read_again = two_machines();
  const Group group = first_devices(here, 16);
  const auto first = known.time_of(all_reduce(group, "ring", 1 << 20), group, Type::float32);
  const Group again = first_devices(read_again, 16);
  EXPECT_EQ(first, known.time_of(all_reduce(again, "ring", 1 << 20), again, Type::float32));
}

// Every argument counts: what is known is what a new simulation finds.
TEST(KnownTimes, WhateverDiffersIsSimulatedAnew) {
  KnownTimes known;
  const std::vector<platform::Platform> platforms{two_machines(), two_machines("50 Gb/s"),
                                                  two_machines().with_faster_links(2)};
  for (int again = 0; again < 2; ++again)
    for (const platform::Platform& platform : platforms)
      for (const int ranks : {2, 8, 16})
        for (const std::string_view algorithm : {"ring", "tree"})
          for (const std::int64_t elements : {1 << 10, 1 << 20})
            for (const bool is_turned : {false, true})
              for (const Folding folding : {Folding::automatic, Folding::expanded}) {
                Group group = first_devices(platform, ranks);
                if (is_turned) std::rotate(group.ranks.begin(), group.ranks.begin() + 1, group.ranks.end());
                const Call call = all_reduce(group, algorithm, elements);
                const Timing expected = time_of(call, group, Type::float32, folding);
                const auto found = known.time_of(call, group, Type::float32, folding);
                EXPECT_EQ(found->time, expected.time) << platform.name() << ranks << algorithm << elements;
                EXPECT_EQ(found->played, expected.played);
              }
}

// The last chunks of TensorFlow's ring are shorter than the others. A ring of many messages is timed with full
// ones, since every rank sends full chunks in all other rounds.
TEST(KnownTimes, FullChunksChangeATensorflowRingLittle) {
  const platform::Platform platform = two_machines();
  for (const int ranks : {3, 8, 16})
    for (const std::int64_t elements : {250'001, 3'000'000, 25'557'032}) {
      const Group group = first_devices(platform, ranks);
      Call call = own_moves(group);
      call.algorithm = &collective::algorithm_named(collective::Operation::all_reduce, "tensorflow_ring");
      call.request = {.ranks = ranks, .elements = elements};
      const auto expanded = [&] {
        return time_of(collective::expand(collective::make_schedule(*call.algorithm, call.request)), call,
                       group, Type::float32)
            .time;
      };
      const Seconds own = expanded();
      call.request.fills_chunks = true;
      const Seconds full = expanded();
      EXPECT_GE(full, own * (1 - 1e-9));
      const double bytes_more = 128.0 * 2 * ranks;  // at most 128 bytes for each chunk
      EXPECT_LE(full / own - 1, 4 * bytes_more / (4.0 * static_cast<double>(elements)));
      EXPECT_NEAR(time_of(call, group, Type::float32).time / full, 1, 1e-9);  // folded
    }
}

}  // namespace
}  // namespace wt::communication
