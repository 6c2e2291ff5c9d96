#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "collective/msccl.h"
#include "collective/msccl_program.h"
#include "collective/order.h"

namespace wt::collective::msccl {

namespace {

constexpr std::int64_t most_slots = 1 << 24, most_moved = 1 << 26;
constexpr int most_nothings = 1 << 12;

// What became of a step: the moves it takes part in (a local one arrives), and what must have happened when
// it is done.
struct Fate {
  int aside = -1, arriving = -1, leaving = -1;
  enum class Done : std::uint8_t { unknown, being_found, known } state{};
  std::vector<Dependency> done{};
};

class Translator {
 public:
  Translator(Program program, Source& source) : program_(std::move(program)), source_(source) {
    schedule_.name = program_.name;
    schedule_.contract = program_.contract;
    for (const auto& [id, block] : program_.blocks) fates_[id].resize(block.steps.size());
    add_moves();
    if (source_.problems().any()) return;
    for (const auto& [id, block] : program_.blocks)
      for (std::size_t step = 0; step < block.steps.size(); ++step) link(id, step);
  }

  Expanded take() { return std::move(schedule_); }

 private:
  struct End {  // of a message
    const BlockStep* step = nullptr;
    Fate* fate = nullptr;
  };

  void add_moves();
  int add_move(int source, int target, Effect effect, int from, int to, int count);
  void add_local(int gpu, const BlockStep& step, Fate& fate);
  void add_message(int source, int target, const End& sent, const End& received);
  void link(const BlockId& id, std::size_t number);
  std::vector<Dependency> waits_of(const BlockId& id, std::size_t number, int depth);
  const std::vector<Dependency>& done_of(const BlockId& id, std::size_t number, int depth);
  Step& step_of(int move) { return schedule_.steps[static_cast<std::size_t>(move)]; }

  Program program_;
  Source& source_;
  Expanded schedule_{};
  std::map<BlockId, std::vector<Fate>> fates_{};
  std::int64_t moved_ = 0;  // chunks
};

int Translator::add_move(int source, int target, Effect effect, int from, int to, int count) {
  moved_ += count;
  schedule_.steps.push_back({{source, target, effect, {from, count}, to - from}, {}, {}});
  return static_cast<int>(schedule_.steps.size()) - 1;
}

// The nth step that sends from one GPU to another on a channel meets the nth that receives.
void Translator::add_moves() {
  using Way = std::array<int, 3>;  // source, target, channel
  std::map<Way, std::array<std::vector<End>, 2>> ways;
  for (auto& [id, block] : program_.blocks) {
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      BlockStep& step = block.steps[i];
      Fate& fate = fates_[id][i];
      if (!step.type->keeps) {  // what isn't kept gets scratch slots of its own
        step.target = schedule_.contract.slots();
        schedule_.contract.scratch += step.count;
      }
      add_local(id.gpu, step, fate);
      if (step.type->sends) ways[{id.gpu, block.send, block.channel}][0].push_back({&step, &fate});
      if (step.type->receives) ways[{block.receive, id.gpu, block.channel}][1].push_back({&step, &fate});
      if (std::int64_t{schedule_.contract.ranks} * schedule_.contract.slots() > most_slots ||
          moved_ > most_moved)
        return source_.fail("this program moves too much to be verified");
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

// What stays on the GPU. Where the sum of what comes and of what is here goes to a third place, what is here
// is copied there first.
void Translator::add_local(int gpu, const BlockStep& step, Fate& fate) {
  const StepType& type = *step.type;
  if (step.count == 0 || step.source == step.target) return;
  if (type.receives && type.reduces)
    fate.aside = add_move(gpu, gpu, Effect::copy, step.source, step.target, step.count);
  if (!type.receives && !type.sends)
    fate.arriving = add_move(gpu, gpu, type.reduces ? Effect::reduce : Effect::copy, step.source, step.target,
                             step.count);
}

// Who passes on what has come sends it from where it was put.
void Translator::add_message(int source, int target, const End& sent, const End& received) {
  if (sent.step->count != received.step->count)
    source_.fail(received.step->offset, fmt::format("{} chunks are received of {} that GPU {} sends",
                                                    received.step->count, sent.step->count, source));
  const int from = sent.step->type->receives ? sent.step->target : sent.step->source;
  const Effect effect = received.step->type->reduces ? Effect::reduce : Effect::copy;
  const int move = add_move(source, target, effect, from, received.step->target, sent.step->count);
  sent.fate->leaving = received.fate->arriving = move;
}

// A block does one step after the other, and a step may wait for one of another block.
std::vector<Dependency> Translator::waits_of(const BlockId& id, std::size_t number, int depth) {
  const BlockStep& step = program_.blocks[id].steps[number];
  std::vector<Dependency> waits;
  if (number > 0) waits = done_of(id, number - 1, depth);
  if (step.after_block < 0) return waits;
  const BlockId other{id.gpu, step.after_block};
  const auto found = fates_.find(other);
  const auto after = static_cast<std::size_t>(step.after_step);
  if (found == fates_.end() || step.after_step < 0 || after >= found->second.size()) {
    source_.fail(step.offset, fmt::format("this step waits for step {} of block {}, which isn't there",
                                          step.after_step, step.after_block));
    return waits;
  }
  const std::vector<Dependency>& done = done_of(other, after, depth);
  waits.insert(waits.end(), done.begin(), done.end());
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  return waits;
}

// A step that does nothing is done when what it waits for is.
const std::vector<Dependency>& Translator::done_of(const BlockId& id, std::size_t number, int depth) {
  Fate& fate = fates_[id][number];
  if (fate.state == Fate::Done::known) return fate.done;
  if (fate.arriving >= 0) fate.done.push_back({fate.arriving, Until::done});
  if (fate.leaving >= 0) fate.done.push_back({fate.leaving, Until::sent});
  if (fate.done.empty()) {
    if (fate.state == Fate::Done::being_found || depth == most_nothings) {
      source_.fail(program_.blocks[id].steps[number].offset, "this step waits for itself, by way of others");
      return fate.done;
    }
    fate.state = Fate::Done::being_found;
    fate.done = waits_of(id, number, depth + 1);
  }
  fate.state = Fate::Done::known;
  return fate.done;
}

// What arrives is buffered, so the receiving step waits with putting it in place.
void Translator::link(const BlockId& id, std::size_t number) {
  const Fate& fate = fates_[id][number];
  if (fate.arriving < 0 && fate.leaving < 0) return;
  std::vector<Dependency> waits = waits_of(id, number, 0);
  if (fate.aside >= 0) {
    step_of(fate.aside).start = waits;
    waits.push_back({fate.aside, Until::done});
  }
  if (fate.arriving < 0) {
    step_of(fate.leaving).start = waits;
    return;
  }
  const bool is_local = !program_.blocks[id].steps[number].type->receives;
  (is_local ? step_of(fate.arriving).start : step_of(fate.arriving).apply) = waits;
  if (fate.leaving >= 0) step_of(fate.leaving).start = {{fate.arriving, Until::done}};
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
