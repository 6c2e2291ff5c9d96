#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "base/id.h"
#include "base/narrow.h"
#include "collective/msccl.h"
#include "collective/order.h"

namespace wt::collective {

namespace {

constexpr int most_in_a_step = 64;  // The MSCCL runtime accepts fewer than 72 chunks per step.

// Empty for an operation that the XML cannot express.
std::string_view msccl_name(Operation operation) {
  static constexpr std::array<std::string_view, 8> names{
      "allreduce", "reduce_scatter", "allgather", "broadcast", "reduce", "", "", ""};
  return names[index(operation)];
}

struct StepPlace {
  int block = -1;
  int step = -1;
};

struct BlockStep {
  std::string_view type{};
  int from = 0, to = 0, count = 0;  // slots
  StepPlace after{};
  bool is_waited_for = false;
};

struct Block {
  int send = -1, receive = -1, channel = 0;
  std::vector<BlockStep> steps{};
};

// The thread blocks of a GPU: one for each peer, direction and channel, and one for moves within the GPU.
struct Gpu {
  std::vector<Block> blocks{};

  int block_for(int send, int receive, int channel) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (blocks[i].send == send && blocks[i].receive == receive && blocks[i].channel == channel)
        return narrow<int>(i);
    blocks.push_back({send, receive, channel, {}});
    return narrow<int>(blocks.size()) - 1;
  }
};

// The channel of each move. On one channel between two GPUs messages arrive in the order in which they were
// sent. A message that must be received out of that order goes on another channel.
std::vector<int> channels_of(const std::vector<Step>& steps, const std::vector<Event>& order) {
  std::vector<std::size_t> arrival(steps.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i].applies) arrival[static_cast<std::size_t>(order[i].move)] = i;
  std::vector<int> channels(steps.size());
  std::map<std::pair<int, int>, std::vector<std::size_t>> last_arrivals;  // per channel of a pair
  for (const Event& event : order) {
    if (event.applies) continue;
    const auto id = static_cast<std::size_t>(event.move);
    std::vector<std::size_t>& last = last_arrivals[{steps[id].move.source, steps[id].move.target}];
    const auto channel =
        std::find_if(last.begin(), last.end(), [&](std::size_t each) { return each < arrival[id]; });
    channels[id] = narrow<int>(channel - last.begin());
    if (channel == last.end())
      last.push_back(arrival[id]);
    else
      *channel = arrival[id];
  }
  return channels;
}

class Writer {
 public:
  explicit Writer(const Expanded& schedule)
      : schedule_(schedule),
        gpus_(static_cast<std::size_t>(schedule.contract.ranks)),
        sent_(schedule.steps.size()),
        done_(schedule.steps.size()) {
    // All thread blocks get their steps in one legal order, so no step waits for a later one of its own
    // block.
    const std::vector<Event> order = first_moves_first(schedule.steps);
    channels_ = channels_of(schedule.steps, order);
    for (const Event& event : order) event.applies ? finish(event.move) : begin(event.move);
  }

  std::string text() const;

 private:
  void begin(int id);
  void finish(int id);
  StepPlace add(int gpu, int block, std::string_view type, const Move& move,
                const std::vector<Dependency>& after);
  StepPlace on(int gpu, const Dependency& dependency) const;
  std::string print_gpu(int id) const;
  std::string print_step(const BlockStep& step, std::size_t number) const;
  std::string place(std::string_view side, int slot) const;

  const Expanded& schedule_;
  std::vector<Gpu> gpus_;
  std::vector<int> channels_{};         // of each move
  std::vector<StepPlace> sent_, done_;  // of each move: its step on the source and its step on the target
};

void Writer::begin(int id) {
  const Step& step = schedule_.steps[static_cast<std::size_t>(id)];
  const Move& move = step.move;
  if (move.source == move.target) return;
  Gpu& gpu = gpus_[static_cast<std::size_t>(move.source)];
  sent_[static_cast<std::size_t>(id)] =
      add(move.source, gpu.block_for(move.target, -1, channels_[static_cast<std::size_t>(id)]), "s", move,
          step.start);
}

// The step on the target's side: it receives, or works locally, and waits for the dependencies that concern
// the target.
void Writer::finish(int id) {
  const Step& step = schedule_.steps[static_cast<std::size_t>(id)];
  const Move& move = step.move;
  const bool stays = move.source == move.target, copies = move.effect == Effect::copy;
  Gpu& gpu = gpus_[static_cast<std::size_t>(move.target)];
  const int block = gpu.block_for(-1, stays ? -1 : move.source, channels_[static_cast<std::size_t>(id)]);
  std::vector<Dependency> after = step.start;
  after.insert(after.end(), step.apply.begin(), step.apply.end());
  const std::string_view type = stays ? (copies ? "cpy" : "re") : (copies ? "r" : "rrc");
  done_[static_cast<std::size_t>(id)] = add(move.target, block, type, move, after);
  if (stays) sent_[static_cast<std::size_t>(id)] = done_[static_cast<std::size_t>(id)];
}

// The step of this GPU that a dependency refers to; none if the dependency is enforced on another GPU.
StepPlace Writer::on(int gpu, const Dependency& dependency) const {
  const auto id = static_cast<std::size_t>(dependency.move);
  const Move& move = schedule_.steps[id].move;
  if (dependency.until == Until::done && move.target == gpu) return done_[id];
  if (move.source == gpu) return sent_[id];
  return {};
}

// In the XML a step can wait for one step of another block. For each further dependency, a step that does
// nothing ("nop") stands before it and waits.
StepPlace Writer::add(int gpu, int block, std::string_view type, const Move& move,
                      const std::vector<Dependency>& after) {
  std::vector<Block>& blocks = gpus_[static_cast<std::size_t>(gpu)].blocks;
  std::vector<BlockStep>& steps = blocks[static_cast<std::size_t>(block)].steps;
  std::vector<StepPlace> waits;
  for (const Dependency& each : after) {
    const StepPlace place = on(gpu, each);
    if (place.block < 0 || place.block == block) continue;  // Steps of one block are in order anyway.
    blocks[static_cast<std::size_t>(place.block)].steps[static_cast<std::size_t>(place.step)].is_waited_for =
        true;
    waits.push_back(place);
  }
  for (std::size_t i = 0; i + 1 < waits.size(); ++i) steps.push_back({"nop", 0, 0, 0, waits[i], false});
  StepPlace last_wait = waits.empty() ? StepPlace{} : waits.back();
  for (const Range& range : move.chunks.ranges()) {
    for (int first = range.first; first < range.end(); first += most_in_a_step) {
      const int count = std::min(most_in_a_step, range.end() - first);
      const int to = first + move.shift;
      // "rrc" adds what arrives to the slots in `src`, which here are the target slots.
      steps.push_back({type, type == "rrc" ? to : first, to, count, last_wait, false});
      last_wait = {};
    }
  }
  return {block, narrow<int>(steps.size()) - 1};
}

// In place, all chunks lie in the larger one of the input and output buffers.
std::string Writer::place(std::string_view side, int slot) const {
  const int chunks = schedule_.contract.cut.chunks;
  const std::string_view large = schedule_.contract.operation == Operation::all_gather ? "o" : "i";
  return slot < chunks ? fmt::format("{0}buf=\"{1}\" {0}off=\"{2}\"", side, large, slot)
                       : fmt::format("{0}buf=\"s\" {0}off=\"{1}\"", side, slot - chunks);
}

std::string Writer::print_step(const BlockStep& step, std::size_t number) const {
  return fmt::format(
      "      <step s=\"{}\" type=\"{}\" {} {} cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n", number,
      step.type, place("src", step.from), place("dst", step.to), step.count, step.after.block,
      step.after.step, step.is_waited_for ? 1 : 0);
}

std::string Writer::print_gpu(int id) const {
  const Contract& contract = schedule_.contract;
  const int chunks = contract.cut.chunks, block = chunks / contract.ranks;
  const int inputs = contract.operation == Operation::all_gather ? block : chunks;
  const int outputs = contract.operation == Operation::reduce_scatter ? block : chunks;
  std::string text = fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", id,
                                 inputs, outputs, contract.scratch);
  const std::vector<Block>& blocks = gpus_[static_cast<std::size_t>(id)].blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    text += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", i, blocks[i].send,
                        blocks[i].receive, blocks[i].channel);
    for (std::size_t step = 0; step < blocks[i].steps.size(); ++step)
      text += print_step(blocks[i].steps[step], step);
    text += "    </tb>\n";
  }
  return text + "  </gpu>\n";
}

std::string Writer::text() const {
  const Contract& contract = schedule_.contract;
  const int channels = channels_.empty() ? 1 : *std::max_element(channels_.begin(), channels_.end()) + 1;
  std::string text = fmt::format(
      "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
      "inplace=\"1\"{}>\n",
      schedule_.name, channels, contract.cut.chunks, contract.ranks, msccl_name(contract.operation),
      contract.root == 0 ? "" : fmt::format(" root=\"{}\"", contract.root));
  for (int gpu = 0; gpu < contract.ranks; ++gpu) text += print_gpu(gpu);
  return text + "</algo>\n";
}

void check_can_be_expressed(const Expanded& schedule) {
  const Contract& contract = schedule.contract;
  const auto refuse = [&](std::string_view what) {
    throw InputError(
        fmt::format("{} cannot be written as MSCCL's XML, which cannot express {}", schedule.name, what));
  };
  if (msccl_name(contract.operation).empty()) refuse(name(contract.operation));
  if (contract.helpers > 0) refuse("switches and servers");
  if (!contract.left_out.empty()) refuse("ranks that are left out");
  if (contract.input_slot > 0) refuse("an input out of place");
}

}  // namespace

std::string print_msccl(const Expanded& schedule) {
  check_can_be_expressed(schedule);
  return Writer(schedule).text();
}

}  // namespace wt::collective
