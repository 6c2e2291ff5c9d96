#pragma once
// The constants of NCCL 2.30.7's cost model, in its own units: microseconds and GB/s (1e9 bytes per second).
// They are those of the tuner in src/graph/tuning.cc, unless a comment names another source file.

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace wt::collective::nccl {

using Protocols = std::array<double, 3>;  // one value for each protocol: ll, ll128, simple
using Scales = std::array<double, 3>;     // for one node, two nodes, and more

enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };  // Older GPUs count as volta.

constexpr Generation generation_of(int capability) {
  return capability >= 100  ? Generation::blackwell
         : capability >= 90 ? Generation::hopper
         : capability >= 80 ? Generation::ampere
                            : Generation::volta;
}

enum class Pattern : std::uint8_t { tree, ring, nvls, nvls_tree, pat };
inline constexpr std::size_t patterns = 5;

// The latency that a call pays once, by pattern.
inline constexpr std::array<Protocols, patterns> base_latency{{
    {6.8, 14, 8.4},
    {6.6, 14, 8.4},
    {0, 0, 0},
    {0, 0, 0},
    {8, 8, 8},
}};

enum class Wire : std::uint8_t { nvlink, pci, net };

// The latency of one step, by wire and pattern.
inline constexpr std::array<std::array<Protocols, patterns>, 3> step_latency{{
    {{{0.6, 1.25, 4}, {0.6, 1.9, 3.4}, {0, 0, 25}, {0, 0, 25}, {0, 0, 4}}},
    {{{1, 1.9, 4}, {1, 2.5, 5.7}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4}}},
    {{{5, 8.5, 14}, {2.7, 4, 14}, {0, 0, 18}, {0, 0, 20.9}, {0, 0, 14}}},
}};

// The highest rates that NCCL assumes, a row for each generation. ll_cap limits the whole communicator;
// between nodes its row depends on the host processor (ampere's for AMD, volta's for others).
inline constexpr std::array<Scales, 4> ll_cap{
    {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
// These limit one channel.
inline constexpr std::array<Scales, 4> ring_ll128_cap{
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
inline constexpr std::array<Scales, 4> tree_ll128_cap{
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
inline constexpr std::array<Scales, 4> tree_cap{
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
inline constexpr std::array<Scales, 4> nvls_tree_cap{
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}}};

// The share of a link's rate that NVLS reaches, by generation.
inline constexpr std::array<double, 4> nvls_efficiency{0, 0, 0.85, 0.74};
inline constexpr double pat_efficiency = 0.75;

// Entry i is a factor on the tree's rate for vectors of 64 x 2^i bytes. For larger vectors the factor is 1.
inline constexpr std::array<std::array<double, 24>, 3> tree_correction{{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
}};

// The rate that NCCL assumes for one NVLink in one direction, from a compute capability on
// (src/graph/topo.h).
struct LinkRate {
  int capability = 0;
  double rate = 0;
};
inline constexpr std::array<LinkRate, 6> nvlink_rates{
    {{60, 18}, {70, 20}, {86, 12}, {87, 20}, {90, 20.6}, {100, 40.1}}};

// The rates of one channel that NCCL's search tries (src/graph/search.cc), from the fastest to the slowest.
inline constexpr std::array speeds_inside{40., 30., 20., 18., 15., 12., 10., 9., 7., 6., 5., 4., 3.};
inline constexpr std::array speeds_inside_hopper{60., 50., 40., 30., 24., 20., 15., 12., 11., 6., 3.};
inline constexpr std::array speeds_inside_blackwell{90., 80., 70., 60., 50., 45.,
                                                    40., 30., 24., 20., 19., 18.};
inline constexpr std::array speeds_across{48., 30., 28., 24., 20., 18., 15., 12.,  10., 9.,
                                          7.,  6.,  5.,  4.,  3.,  2.4, 1.2, 0.24, 0.12};
inline constexpr std::array speeds_across_hopper{48., 45., 42., 40., 30., 24., 22.,  20., 17.5,
                                                 15., 12., 6.,  3.,  2.4, 1.2, 0.24, 0.12};
inline constexpr std::array speeds_across_blackwell{96., 86.,  80., 48., 45.1, 42., 40., 30., 24.,  22.,
                                                    20., 17.5, 15., 12., 6.,   3.,  2.4, 1.2, 0.24, 0.12};

constexpr std::span<const double> speeds(Generation generation, bool across) {
  switch (generation) {
    case Generation::hopper:
      return across ? std::span<const double>(speeds_across_hopper) : speeds_inside_hopper;
    case Generation::blackwell:
      return across ? std::span<const double>(speeds_across_blackwell) : speeds_inside_blackwell;
    default:
      return across ? std::span<const double>(speeds_across) : speeds_inside;
  }
}

inline constexpr int most_channels = 64;  // of a communicator; the search finds at most half of them
inline constexpr double no_path = 0.1;    // the rate of a ring for which the search found no links

// NCCL uses a further channel as soon as each thread of it gets this many bytes. Both are in
// src/include/device.h.
inline constexpr Protocols thread_bytes{8, 8, 64};
inline constexpr Protocols threads{512, 640, 512};
// A send of at most so many bytes for each channel takes LL (NCCL_P2P_LL_THRESHOLD in src/enqueue.cc).
inline constexpr double ll_send_bytes = 16384;
// Rings of protocol simple whose rate is at most slow_pcie have fewer threads.
inline constexpr double threads_over_slow_pcie = 256;
inline constexpr double slow_pcie = 12;

}  // namespace wt::collective::nccl
