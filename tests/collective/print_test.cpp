// Claims: schedules are written as text and as MSCCL's XML, read back unchanged, and drawn; wrong files are
// refused.
#include "collective/print.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/error.h"
#include "base/file.h"
#include "collective/execute.h"
#include "collective/import.h"
#include "collective/msccl.h"
#include "collective/verify.h"
#include "schedules.h"

namespace wt::collective {
namespace {

const std::string ring_of_two = R"(schedule ring
operation all_reduce
ranks 2
cut 10 elements into 2 chunks
0 reduce 0 to 1 chunks 1
1 reduce 1 to 0 chunks 0
2 copy 0 to 1 chunks 0 start 1
3 copy 1 to 0 chunks 1 start 0
)";

Schedule ring(int ranks, std::int64_t elements) {
  return make_schedule(algorithm_named(Operation::all_reduce, "ring"),
                       {.ranks = ranks, .elements = elements});
}

TEST(Print, ShowsMovesAndWhatTheyWaitFor) { EXPECT_EQ(print(expand(ring(2, 10))), ring_of_two); }

TEST(Print, ShowsWhereBytesMustHaveLeftAndWhatWaitsToBeAdded) {
  const std::string text = print(expand(make_schedule(
      algorithm_named(Operation::all_reduce, "recursive_doubling"), {.ranks = 3, .elements = 2})));
  EXPECT_EQ(text, R"(schedule recursive_doubling
operation all_reduce
ranks 3
cut 2 elements into 1 chunks
0 reduce 2 to 0 chunks 0
1 reduce 0 to 1 chunks 0 start 0 apply 2.sent
2 reduce 1 to 0 chunks 0 apply 1.sent
3 copy 0 to 2 chunks 0 start 2
)");
}

TEST(Print, ComesBackForAllOfTheCatalog) {
  for (const Algorithm& algorithm : algorithms())
    for (const int ranks : {1, 2, 6, 8, 9}) {
      if (!allows(algorithm, ranks)) continue;
      const Expanded schedule = expanded(algorithm, ranks);
      EXPECT_EQ(parse_schedule(print(schedule)), schedule) << algorithm.name;
    }
}

TEST(Import, VerifiesOurFormAndTakesItForOtherLengths) {
  EXPECT_EQ(import_verified(ring_of_two, 0).contract.cut.elements, 10);
  EXPECT_EQ(import_verified(ring_of_two, 64).contract.cut.elements, 64);
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parse, ReportsEveryMistakeAtItsLine) {
  EXPECT_EQ(refusal([] {
              parse_schedule(
                  "operation all_reduec  # of two\nranks none\ncut 4 elements into 2 chunks\n\n"
                  "1 copy 0 to 1 chunks 0\n1 copy 0 at 1\n2 copy 0 to 1 chunks 2-1 start 0\nmove\n",
                  "x.txt");
            }),
            R"(x.txt:1:11: "all_reduec" is not an operation
  1 | operation all_reduec  
    |           ^~~~~~~~~~
did you mean "all_reduce"? known: all_reduce, reduce_scatter, all_gather, broadcast, reduce, gather, scatter, all_to_all, sendrecv

x.txt:2:7: a number from 1 to 1048576 is expected here
  2 | ranks none
    |       ^~~~

x.txt:5:1: the number 0 is expected here
  5 | 1 copy 0 to 1 chunks 0
    | ^

x.txt:6:10: "to" is expected here
  6 | 1 copy 0 at 1
    |          ^~

x.txt:7:22: a number from 2 to 16777216 is expected here
  7 | 2 copy 0 to 1 chunks 2-1 start 0
    |                      ^~~

x.txt:8:1: unknown key "move"
  8 | move
    | ^~~~
known: schedule, operation, ranks, helpers, root, cut, scratch, input, left_out)");
}

TEST(Parse, ReportsMistakesThatShowInSeveralLinesTogether) {
  EXPECT_EQ(refusal([] {
              parse_schedule("operation reduce_scatter\nranks 2\nroot 2\ncut 9 elements into 3 chunks\n");
            }),
            "reduce_scatter among 2 ranks needs a multiple of 2 chunks, and there are 3\n\n"
            "rank 2 can't be the root of 2 ranks");
  EXPECT_EQ(refusal([] { parse_schedule("ranks 2\n"); }),
            "the schedule has no \"cut\" line, or cuts 0 elements\n"
            "add a line like: cut 8 elements into 2 chunks");
  EXPECT_EQ(
      refusal([] { parse_schedule("ranks 1000000\ncut 100000 elements into 100000 chunks\n"); }),
      "1000000 ranks and helpers with 100000 slots each are too many to verify: the limit is 16777216 slots");
}

TEST(Import, RefusesOurFormWhereItDoesNotVerify) {
  const std::string without_last = ring_of_two.substr(0, ring_of_two.find("3 copy"));
  EXPECT_EQ(refusal([&] { import_verified(without_last, 0, "ring.txt"); }),
            "ring.txt: rank 0 misses rank 1's chunk 1");
}

// ---- MSCCL

TEST(Msccl, IsAProgramOfThreadBlocks) {
  EXPECT_EQ(
      print_msccl(expand(ring(2, 10))),
      R"(<algo name="ring" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="-1" recv="0" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)");
}

bool can_be_msccl(const Expanded& schedule) {
  const Contract& contract = schedule.contract;
  const bool known = !is_point_to_point(contract.operation);
  return known && contract.helpers == 0 && contract.left_out.empty();
}

// The XML that is written is read back as a schedule that verifies and gives the same bits.
TEST(Msccl, ComesBackForAllOfTheCatalogThatItCanExpress) {
  int count = 0;
  for (const Algorithm& algorithm : algorithms()) {
    for (const int ranks : {2, 6, 8, 9, 12}) {
      if (!allows(algorithm, ranks)) continue;
      const Expanded schedule = expand(
          make_schedule(algorithm, {.ranks = ranks, .elements = 144 * 16, .options = {.segments = 3}}));
      if (!can_be_msccl(schedule) || schedule.contract.cut.per_chunk > 0) continue;
      const Expanded read = import_verified(print_msccl(schedule), 144 * 16);
      const auto vectors = random_vectors<float>(schedule.contract, 2);
      EXPECT_EQ(execute_on(read, vectors, 4), execute_on(schedule, vectors, 5))
          << algorithm.name << " of " << ranks;
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

TEST(Msccl, KeepsTheRoot) {
  const Request request{.ranks = 5, .elements = 10, .root = 3};
  const Expanded schedule =
      expand(make_schedule(algorithm_named(Operation::reduce, "binomial_tree"), request));
  EXPECT_EQ(import_verified(print_msccl(schedule), 10).contract, schedule.contract);
}

// Each thread block sends before it receives, so what arrives must be buffered. Fused steps pass on what they
// receive.
const std::string pass_around =
    R"(<algo name="pass" proto="LL" nchannels="1" nchunksperloop="1" ngpus="3" coll="allreduce" inplace="0">
  <gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
    <tb id="0" send="1" recv="2" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0">
    <tb id="0" send="2" recv="0" chan="0">
      <step s="0" type="rrs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="2" i_chunks="1" o_chunks="1" s_chunks="0">
    <tb id="0" send="0" recv="1" chan="0">
      <step s="0" type="rrcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

TEST(Msccl, FusedStepsOutOfPlaceAreRead) {
  const Expanded schedule = import_verified(pass_around, 5);
  const auto vectors = random_vectors<double>(schedule.contract, 9, true);
  for (const auto& result : execute_on(schedule, vectors, 3))
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(result[i], vectors[0][i] + vectors[1][i] + vectors[2][i]);
}

std::string with(std::string text, const std::string& old, const std::string& replacement) {
  const std::size_t at = text.find(old);
  return at == std::string::npos ? old + " isn't there" : text.replace(at, old.size(), replacement);
}

TEST(Msccl, WhatDoesNotVerifyIsRefusedWithTheReason) {
  const auto read = [](const std::string& text) {
    return refusal([&] { import_verified(text, 5, "p.xml"); });
  };
  EXPECT_EQ(read(with(pass_around, "\"rrs\"", "\"rcs\"")),
            "p.xml: rank 1 is left out: no result contains its values");
  EXPECT_EQ(read(with(pass_around, "send=\"1\"", "send=\"2\"")),
            R"(p.xml:4:8: GPU 0 sends 2 times to GPU 2 on channel 0, which receives 0 times
  4 |       <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    |        ^~~~

p.xml:10:8: GPU 0 sends 0 times to GPU 1 on channel 0, which receives 2 times
  10 |       <step s="0" type="rrs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
     |        ^~~~)");
  EXPECT_EQ(read(with(pass_around, "\"rrs\"", "\"rss\"")), R"(p.xml:10:8: unknown step type "rss"
  10 |       <step s="0" type="rss" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
     |        ^~~~
known: s, r, rcs, rrc, rrcs, rrs, cpy, re, nop

p.xml:11:8: s="1" is not a number from 0 to 0
  11 |       <step s="1" type="rcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
     |        ^~~~)");
  EXPECT_EQ(read(with(pass_around, "\"o\" dstoff=\"0\"", "\"o\" dstoff=\"1\"")),
            R"(p.xml:5:8: chunks 1 to 1 are beyond the end of buffer "o"
  5 |       <step s="1" type="rcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    |        ^~~~)");
  EXPECT_EQ(read("<algo"), R"(p.xml: this is not XML: Error parsing start element tag)");
  EXPECT_EQ(read("<a/>"),
            "p.xml: the file has no element <algo>\n"
            "give a program in MSCCL's XML, whose outermost element is <algo>");
}

// Any file gives a schedule or an InputError.
void fuzz(const std::string& text) {
  std::mt19937 random(17);
  const std::string letters = "0123456789-\"= <>/.,#\nsrcoiegpa";
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    for (unsigned k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % changed.size();
      if (random() % 3 == 0)
        changed.erase(at, random() % 40);
      else
        changed[at] = letters[random() % letters.size()];
      if (changed.empty()) break;
    }
    try {
      import_verified(changed, i % 2 == 0 ? 0 : 5);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  }
}

TEST(Import, SurvivesFilesThatAreDamaged) {
  fuzz(ring_of_two);
  fuzz(print(
      expand(make_schedule(algorithm_named(Operation::all_reduce, "nvls"), {.ranks = 3, .elements = 9}))));
  fuzz(pass_around);
  fuzz(print_msccl(expanded("recursive_doubling", 3)));
}

// A step that does nothing waits for itself through another step.
TEST(Msccl, AWaitInACycleIsRefused) {
  const std::string cycle = R"(<algo coll="allreduce" nchunksperloop="1" ngpus="1" inplace="1">
  <gpu id="0" s_chunks="1">
    <tb id="0" send="-1" recv="-1" chan="0">
      <step s="0" type="nop" depid="1" deps="0"/>
      <step s="1" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="nop" depid="0" deps="0"/>
    </tb>
  </gpu>
</algo>
)";
  const std::string text = refusal([&] { import_verified(cycle, 1); });
  EXPECT_EQ(text.substr(0, text.find('\n')), "4:8: this step waits for itself through other steps");
}

TEST(Msccl, WhatItCannotExpressIsRefused) {
  const auto write = [](std::string_view name, int ranks) {
    return refusal([&] { print_msccl(expanded(name, ranks)); });
  };
  EXPECT_EQ(write("nvls", 4),
            "nvls cannot be written as MSCCL's XML, which cannot express switches and servers");
  EXPECT_EQ(
      write("hierarchical_copy", 3),
      "hierarchical_copy cannot be written as MSCCL's XML, which cannot express ranks that are left out");
}

TEST(Dot, DrawsAMoveAsANodeAndADependencyAsAnEdge) {
  EXPECT_EQ(print_dot(expand(ring(2, 10))), R"(digraph "ring" {
  node [shape=box, fontname="sans-serif"];
  m0 [group=1, label="0: 0 -> 1 += 1", style=bold];
  m1 [group=0, label="1: 1 -> 0 += 0", style=bold];
  m2 [group=1, label="2: 0 -> 1 = 0", style=solid];
  m3 [group=0, label="3: 1 -> 0 = 1", style=solid];
  m1 -> m2 [style=solid];
  m0 -> m3 [style=solid];
}
)");
}

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// In an SVG file Graphviz gives each node and edge a title, and writes "-" as "&#45;" and ">" as "&gt;".
TEST(Dot, ThePictureInThePageIsOfTheScheduleThatTheCatalogHas) {
  const std::string picture =
      read_text(std::string(WT_SOURCE_DIR) + "/src/collective/double_binary_tree.svg");
  const Expanded schedule = expanded("double_binary_tree", 8, {.segments = 1});
  std::size_t titles = 1;
  const auto expect_title = [&](const std::string& title) {
    EXPECT_EQ(times(picture, "<title>" + title + "</title>"), 1U) << title;
    ++titles;
  };
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const auto& [move, start, apply] = schedule.steps[i];
    expect_title(fmt::format("m{}", i));
    const char* effect = move.effect == Effect::copy ? "=" : "+=";
    const std::string label =
        fmt::format(">{}: {} &#45;&gt; {} {} {}<", i, move.source, move.target, effect, print(move.chunks));
    EXPECT_EQ(times(picture, label), 1U) << label;
    for (const auto& list : {start, apply})
      for (const Dependency& each : list) expect_title(fmt::format("m{}&#45;&gt;m{}", each.move, i));
  }
  EXPECT_EQ(times(picture, "<title>"), titles);
}

}  // namespace
}  // namespace wt::collective
