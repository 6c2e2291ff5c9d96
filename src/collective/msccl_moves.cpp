#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/narrow.h"
#include "collective/msccl.h"
#include "collective/msccl_program.h"
#include "collective/order.h"

namespace wt::collective::msccl {

namespace {

// A file beyond these limits is a mistake, and its verification would only exhaust the memory.
constexpr std::int64_t most_slots = 1 << 24, most_moved = 1 << 26;
constexpr int most_idle_steps = 1 << 12;  // that wait for each other in a row: the depth of a recursion

// The moves that a step became (-1: none), and the dependencies that are fulfilled when the step is done. A
// step that receives or works locally has an arriving move; a step that sends has a leaving one. The move
// `aside` copies the step's source to its target before what arrives is added there.
struct StepMoves {
  int aside = -1, arriving = -1, leaving = -1;
  enum class Done : std::uint8_t { unknown, being_found, known } state{};
  std::vector<Dependency> done{};
};

class Translator {
 public:
  Translator(Program program, Source& source) : program_(std::move(program)), source_(source) {
    schedule_.name = program_.name;
    schedule_.contract = program_.contract;
    for (const auto& [id, block] : program_.blocks) step_moves_[id].resize(block.steps.size());
    add_moves();
    if (source_.problems().any()) return;
    for (const auto& [id, block] : program_.blocks)
      for (std::size_t step = 0; step < block.steps.size(); ++step) link(id, step);
  }

  Expanded take() { return std::move(schedule_); }

 private:
  // The step at one end of a message.
  struct End {
    const BlockStep* step = nullptr;
    StepMoves* own = nullptr;
  };

  void add_moves();
  int add_move(int source, int target, Effect effect, int from, int to, int count);
  void add_local(int gpu, const BlockStep& step, StepMoves& own);
  void add_message(int source, int target, const End& sent, const End& received);
  void link(const BlockId& id, std::size_t number);
  std::vector<Dependency> waits_of(const BlockId& id, std::size_t number, int depth);
  const std::vector<Dependency>& done_of(const BlockId& id, std::size_t number, int depth);
  Step& step_of(int move) { return schedule_.steps[static_cast<std::size_t>(move)]; }

  Program program_;
  Source& source_;
  Expanded schedule_{};
  std::map<BlockId, std::vector<StepMoves>> step_moves_{};
  std::int64_t moved_ = 0;  // chunks
};

int Translator::add_move(int source, int target, Effect effect, int from, int to, int count) {
  moved_ += count;
  schedule_.steps.push_back({{source, target, effect, {from, count}, to - from}, {}, {}});
  return narrow<int>(schedule_.steps.size()) - 1;
}

// On each channel between two GPUs, the nth step that sends belongs to the nth step that receives.
void Translator::add_moves() {
  using Way = std::array<int, 3>;  // source, target, channel
  std::map<Way, std::array<std::vector<End>, 2>> ways;
  for (auto& [id, block] : program_.blocks) {
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      BlockStep& step = block.steps[i];
      StepMoves& own = step_moves_[id][i];
      if (!step.type->keeps) {  // A result that is only sent on gets scratch slots of its own.
        step.target = schedule_.contract.slots();
        schedule_.contract.scratch += step.count;
      }
      add_local(id.gpu, step, own);
      if (step.type->sends) ways[{id.gpu, block.send, block.channel}][0].push_back({&step, &own});
      if (step.type->receives) ways[{block.receive, id.gpu, block.channel}][1].push_back({&step, &own});
      if (std::int64_t{schedule_.contract.ranks} * schedule_.contract.slots() > most_slots ||
          moved_ > most_moved)
        return source_.fail(fmt::format(
            "the program needs more than {} slots or moves more than {} chunks, too many to verify",
            most_slots, most_moved));
    }
  }
  for (const auto& [way, ends] : ways) {
    const auto& [sent, received] = ends;
    if (sent.size() != received.size())
      source_.fail((sent.empty() ? received : sent)[0].step->offset,
                   fmt::format("GPU {} sends {} times to GPU {} on channel {}, which receives {} times",
                               way[0], sent.size(), way[1], way[2], received.size()));
    for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
      add_message(way[0], way[1], sent[i], received[i]);
  }
}

// Adds the moves within a GPU. If a step adds what arrives to its source slots and stores the sum elsewhere,
// the source slots are first copied to the target.
void Translator::add_local(int gpu, const BlockStep& step, StepMoves& own) {
  const StepType& type = *step.type;
  if (step.count == 0 || step.source == step.target) return;
  if (type.receives && type.reduces)
    own.aside = add_move(gpu, gpu, Effect::copy, step.source, step.target, step.count);
  if (!type.receives && !type.sends)
    own.arriving = add_move(gpu, gpu, type.reduces ? Effect::reduce : Effect::copy, step.source, step.target,
                            step.count);
}

// A step that passes on what it receives sends it from the slots where it was stored.
void Translator::add_message(int source, int target, const End& sent, const End& received) {
  if (sent.step->count != received.step->count)
    source_.fail(received.step->offset, fmt::format("this step receives {} chunks, but GPU {} sends {}",
                                                    received.step->count, source, sent.step->count));
  const int from = sent.step->type->receives ? sent.step->target : sent.step->source;
  const Effect effect = received.step->type->reduces ? Effect::reduce : Effect::copy;
  const int move = add_move(source, target, effect, from, received.step->target, sent.step->count);
  sent.own->leaving = received.own->arriving = move;
}

// A step waits for the step before it in its thread block, and may name one step of another thread block.
std::vector<Dependency> Translator::waits_of(const BlockId& id, std::size_t number, int depth) {
  const BlockStep& step = program_.blocks[id].steps[number];
  std::vector<Dependency> waits;
  if (number > 0) waits = done_of(id, number - 1, depth);
  if (step.after_block < 0) return waits;
  const BlockId other{id.gpu, step.after_block};
  const auto found = step_moves_.find(other);
  const auto after = static_cast<std::size_t>(step.after_step);
  if (found == step_moves_.end() || step.after_step < 0 || after >= found->second.size()) {
    source_.fail(step.offset,
                 fmt::format("this step waits for step {} of thread block {}, which does not exist",
                             step.after_step, step.after_block));
    return waits;
  }
  const std::vector<Dependency>& done = done_of(other, after, depth);
  waits.insert(waits.end(), done.begin(), done.end());
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  return waits;
}

// A step without moves is done when the steps that it waits for are done.
const std::vector<Dependency>& Translator::done_of(const BlockId& id, std::size_t number, int depth) {
  StepMoves& own = step_moves_[id][number];
  if (own.state == StepMoves::Done::known) return own.done;
  if (own.arriving >= 0) own.done.push_back({own.arriving, Until::done});
  if (own.leaving >= 0) own.done.push_back({own.leaving, Until::sent});
  if (own.done.empty()) {
    if (own.state == StepMoves::Done::being_found || depth == most_idle_steps) {
      source_.fail(program_.blocks[id].steps[number].offset,
                   "this step waits for itself through other steps");
      return own.done;
    }
    own.state = StepMoves::Done::being_found;
    own.done = waits_of(id, number, depth + 1);
  }
  own.state = StepMoves::Done::known;
  return own.done;
}

// Arriving bytes are buffered, so the dependencies of a receiving step delay only its storing of the result.
void Translator::link(const BlockId& id, std::size_t number) {
  const StepMoves& own = step_moves_[id][number];
  if (own.arriving < 0 && own.leaving < 0) return;
  std::vector<Dependency> waits = waits_of(id, number, 0);
  if (own.aside >= 0) {
    step_of(own.aside).start = waits;
    waits.push_back({own.aside, Until::done});
  }
  if (own.arriving < 0) {
    step_of(own.leaving).start = waits;
    return;
  }
  const bool is_local = !program_.blocks[id].steps[number].type->receives;
  (is_local ? step_of(own.arriving).start : step_of(own.arriving).apply) = waits;
  if (own.leaving >= 0) step_of(own.leaving).start = {{own.arriving, Until::done}};
}

}  // namespace

Expanded moves_of(Program program, Source& source) { return Translator(std::move(program), source).take(); }

}  // namespace wt::collective::msccl

namespace wt::collective {

Expanded parse_msccl(const std::string& text, std::int64_t elements, const std::string& file) {
  msccl::Source source(text, file);
  msccl::Program program = msccl::parse(source, elements);
  source.problems().throw_if_any();
  Expanded schedule = msccl::moves_of(std::move(program), source);
  source.problems().throw_if_any();
  if (Order(schedule.steps).complete()) reduce_dependencies(schedule.steps);
  return schedule;
}

}  // namespace wt::collective
