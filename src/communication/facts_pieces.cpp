// In how many pieces NCCL passes a vector on.
#include <algorithm>
#include <array>
#include <span>

#include "communication/facts.h"

namespace wt::communication {

namespace {

using collective::Protocol;

// Every channel works on a chunk of its own.
Bytes per_channel(const Facts& facts, Bytes chunk) { return facts.channels * chunk; }

int pieces(Bytes bytes, Bytes piece) {
  return static_cast<int>(std::max<std::int64_t>(1, (bytes.count() + piece.count() - 1) / piece.count()));
}

constexpr Bytes kib(1024);

// What a channel hands on within a machine, and between machines.
struct Grain {
  Bytes line{};
  Bytes chunk{};
};
Grain grain(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return {8 * kib, 32 * kib};
    case Protocol::ll128:
      return {16 * kib, 128 * kib};
    case Protocol::simple:
      break;
  }
  return {512 * kib, 512 * kib};
}

// Pieces are lines. A channel, which has its share of a device's links, hands each on at its own pace; and what a
// chunk has more than a line, the first one waits for at each crossing between machines.
void cut_chain(Call& call, const Facts& facts) {
  const auto [line, chunk] = grain(facts.protocol);
  const int count = pieces(facts.bytes, per_channel(facts, line));
  call.request.options.segments = count;
  const Bytes piece = facts.bytes / count;
  *call.inside.latency += piece / facts.machine.inside;
  if (facts.nodes == 1) return;
  *call.between.latency += (std::min(facts.bytes, per_channel(facts, chunk)) - piece) / facts.machine.between;
}

void cut_tree(Call& call, const Facts& facts) {
  const std::vector<int>& shape = call.request.options.shape;  // of machines: an NVL72 has 18 of them
  const int machine = shape.empty() ? facts.per_node : std::min(shape[0], facts.per_node);
  call.request.options.lanes = std::min(facts.machine.fabric.nics, machine);  // 0: one for each device
  cut_chain(call, facts);
}

// NCCL takes smaller chunks where a vector would make few loops; thresholds in loops of the chunk before.
Bytes loop_of(const Facts& facts, int channels, Bytes chunk, std::span<const int> thresholds) {
  const auto loop = [&] { return channels * facts.per_node * chunk; };
  for (const int few : thresholds) {
    if (facts.bytes >= few * loop()) break;
    chunk = chunk / 2;
  }
  return loop();
}

// A switch that adds takes a pause for each loop, beside its bytes: so messages hold its links longer. What is
// asked and what is given waits for half of it.
void cut_loops(Call& call, const Facts& facts, Bytes loop, Seconds pause) {
  const Loops& nvls = *facts.generation->nvls;
  call.request.options.segments = pieces(facts.bytes, loop);
  const Bytes piece = std::min(loop, facts.bytes);
  const double n = facts.per_node;
  const BytesPerSecond rate = nvls.rate * facts.machine.link_speed;
  const Seconds bytes_time = piece / rate * ((n + 1) / n);
  call.inside = {.latency = pause / 2,
                 .wire = facts.machine.inside / rate * ((pause + bytes_time) / bytes_time)};
}

void cut_nvls(Call& call, const Facts& facts) {
  const Loops& nvls = *facts.generation->nvls;
  constexpr std::array thresholds{64, 8, 2};
  cut_loops(call, facts, loop_of(facts, nvls.channels, nvls.chunk, thresholds), nvls.loop);
  call.floor += nvls.start;
}

void cut_nvls_tree(Call& call, const Facts& facts) {
  const TreeLoops& tree = *facts.generation->nvls_tree;
  const Bytes chunk = facts.nodes < 4 ? facts.generation->nvls->chunk : facts.generation->nvls->chunk / 2;
  constexpr std::array thresholds{4, 1};
  const Bytes loop = loop_of(facts, tree.channels, chunk, thresholds);
  cut_loops(call, facts, loop, tree.loop);
}

struct Cut {
  std::string_view algorithm{};
  void (*cut)(Call& call, const Facts& facts) = nullptr;
  bool (*holds)(const Facts& facts) = nullptr;
};
constexpr std::array cuts{
    Cut{"chain", cut_chain, [](const Facts&) { return true; }},
    Cut{"tree", cut_tree, [](const Facts&) { return true; }},
    Cut{"nvls", cut_nvls, [](const Facts& facts) { return facts.generation->nvls.has_value(); }},
    Cut{"nvls_tree", cut_nvls_tree, [](const Facts& facts) {
          return facts.generation->nvls && facts.generation->nvls_tree && facts.nodes > 1;
        }}};

}  // namespace

void cut(Call& call, const Facts& facts) {
  const auto found = std::ranges::find(cuts, call.algorithm->name, &Cut::algorithm);
  if (found != cuts.end() && found->holds(facts)) found->cut(call, facts);
}

}  // namespace wt::communication
