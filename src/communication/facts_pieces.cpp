// The number of pieces in which NCCL passes on a vector: the segments of pipelines and the loops of NVLS.
#include <algorithm>
#include <array>
#include <span>

#include "base/narrow.h"
#include "communication/facts.h"

namespace wt::communication {

namespace {

using collective::Protocol;

// The bytes that all channels work on together, when each has a chunk of this size.
Bytes per_channel(const Facts& facts, Bytes chunk) { return facts.channels * chunk; }

// More pieces than this are more chunks than a schedule may have, so that larger pieces are played.
constexpr std::int64_t most_counted = 1 << 30;

int pieces(Bytes bytes, Bytes piece) {
  return narrow<int>(
      std::clamp<std::int64_t>((bytes.count() + piece.count() - 1) / piece.count(), 1, most_counted));
}

constexpr Bytes kib(1024);

// The bytes that a channel passes on at once: a line within a machine, and a chunk between machines.
struct Grain {
  Bytes line{};
  Bytes chunk{};
};
Grain grain(const Facts& facts) {
  switch (facts.protocol) {
    case Protocol::ll:
      return {8 * kib, 32 * kib};
    case Protocol::ll128:
      return {16 * kib, 128 * kib};
    case Protocol::simple:
      break;
  }
  const Bytes chunk = facts.network != nullptr ? facts.network->chunk.value_or(512 * kib) : 512 * kib;
  return {chunk, chunk};
}

// Each piece is one line of all channels. A channel passes its line on at its share of the rate of a device's
// links, which delays each message by the time of a piece. Between machines a channel sends whole chunks, so
// the first piece also waits for the rest of its chunk.
void cut_chain(Call& call, const Facts& facts) {
  const auto [line, chunk] = grain(facts);
  const int count = pieces(facts.bytes, per_channel(facts, line));
  call.request.options.segments = count;
  const Bytes piece = facts.bytes / count;
  *call.inside.latency += piece / facts.machine.inside;
  if (facts.nodes == 1) return;
  *call.between.latency += (std::min(facts.bytes, per_channel(facts, chunk)) - piece) / facts.machine.between;
}

void cut_tree(Call& call, const Facts& facts) {
  // A node may consist of several machines, such as the 18 of an NVL72. Their size is in the shape.
  const std::vector<int>& shape = call.request.options.shape;
  const int machine = shape.empty() ? facts.per_node : std::min(shape[0], facts.per_node);
  call.request.options.lanes = std::min(facts.machine.fabric.nics, machine);  // 0: one lane for each device
  cut_chain(call, facts);
}

// The bytes of one loop. NCCL halves the chunk of a channel as long as the vector has fewer loops than the
// next threshold.
Bytes loop_of(const Facts& facts, int channels, Bytes chunk, std::span<const int> thresholds) {
  const auto loop = [&] { return channels * facts.per_node * chunk; };
  for (const int few : thresholds) {
    if (facts.bytes >= few * loop()) break;
    chunk = chunk / 2;
  }
  return loop();
}

// Switches that join the devices of several machines have constants of their own, if they are known.
const Loops& loops_of(const Facts& facts) {
  const Generation& generation = *facts.generation;
  return facts.machine.is_joined && generation.nvls_joined ? *generation.nvls_joined : *generation.nvls;
}

// A switch that adds pauses in each loop, in addition to the time of the bytes. So messages occupy its links
// for longer, and both the reads and the writes of a loop wait for half of the pause.
void cut_loops(Call& call, const Facts& facts, Bytes loop, Seconds pause) {
  const Loops& nvls = loops_of(facts);
  call.request.options.segments = pieces(facts.bytes, loop);
  const Bytes piece = std::min(loop, facts.bytes);
  const double n = facts.per_node;
  const BytesPerSecond rate = nvls.rate * facts.machine.link_speed;
  const Seconds bytes_time = piece / rate * ((n + 1) / n);
  call.inside = {.latency = pause / 2,
                 .wire = facts.machine.inside / rate * ((pause + bytes_time) / bytes_time)};
}

void cut_nvls(Call& call, const Facts& facts) {
  const Loops& nvls = loops_of(facts);
  constexpr std::array thresholds{64, 8, 2};
  cut_loops(call, facts, loop_of(facts, nvls.channels, nvls.chunk, thresholds), nvls.loop);
  call.floor += nvls.start;
}

void cut_nvls_tree(Call& call, const Facts& facts) {
  const TreeLoops& tree = *facts.generation->nvls_tree;
  const Bytes chunk = facts.nodes < 4 ? loops_of(facts).chunk : loops_of(facts).chunk / 2;
  constexpr std::array thresholds{4, 1};
  const Bytes loop = loop_of(facts, tree.channels, chunk, thresholds);
  cut_loops(call, facts, loop, tree.loop);
  // Messages of one loop wait for those of the loop before.
  if (facts.bytes > loop) *call.between.latency += loop / facts.machine.between * facts.network->stored;
}

// The function that cuts the vector for an algorithm, and whether the constants that it needs are known.
struct Cut {
  std::string_view algorithm{};
  void (*cut)(Call& call, const Facts& facts) = nullptr;
  bool (*holds)(const Facts& facts) = nullptr;
};
constexpr std::array cuts{
    Cut{"chain", cut_chain, [](const Facts&) { return true; }},
    Cut{"multi_rail", cut_chain, [](const Facts&) { return true; }},  // of a broadcast or a reduction
    Cut{"tree", cut_tree, [](const Facts&) { return true; }},
    Cut{"nvls", cut_nvls, [](const Facts& facts) { return facts.generation->nvls.has_value(); }},
    Cut{"nvls_tree", cut_nvls_tree, [](const Facts& facts) {
          return facts.generation->nvls && facts.generation->nvls_tree && facts.nodes > 1;
        }}};

}  // namespace

void cut(Call& call, const Facts& facts) {
  if (!collective::reads(*call.algorithm, "segments")) return;
  const auto found = std::ranges::find(cuts, call.algorithm->name, &Cut::algorithm);
  if (found != cuts.end() && found->holds(facts)) found->cut(call, facts);
}

}  // namespace wt::communication
