#include "emulation/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"

namespace wt::emulation {
namespace {

Machine* at_hand = nullptr;

}  // namespace

Machine& machine() {
  if (at_hand == nullptr) static Machine first({});
  return *at_hand;
}

Machine::Machine(const Description& description)
    : memory(description.gpus, description.memory),
      description_(description),
      before_(std::exchange(at_hand, this)),
      lots_(description.seed),
      faults_(static_cast<std::size_t>(description.gpus), cudaSuccess) {
  for (int device = 0; device < description.gpus; ++device) {
    legacy_.push_back(std::make_shared<CUstream_st>());
    legacy_.back()->device = device;
    legacy_.back()->is_legacy = true;
  }
}

Machine::~Machine() { at_hand = before_; }

std::shared_ptr<CUstream_st> Machine::find_stream(cudaStream_t handle) {
  return handle == nullptr ? legacy_[static_cast<std::size_t>(current)] : streams.find(handle);
}

std::size_t Machine::things() const {
  return memory.blocks() + streams.size() + events.size() + graphs.size() + ready_graphs.size();
}

std::shared_ptr<Capture> Machine::capture_of_host() const {
  for (const auto& stream : streams.all())
    if (stream->capture != nullptr && stream->capture->mode() != cudaStreamCaptureModeRelaxed)
      return stream->capture;
  return nullptr;
}

// ---- What is recorded

cudaError_t Machine::enqueue(Stream& stream, Work work) {
  auto shared = std::make_shared<const Work>(std::move(work));
  if (stream.capture != nullptr) {
    if (!stream.capture->is_valid()) return cudaErrorStreamCaptureInvalidated;
    stream.capture->add(stream, {.work = std::move(shared)});
  } else {
    if (stream.is_legacy)
      if (const auto capture = capture_of_host()) return capture->invalidate(cudaErrorStreamCaptureImplicit);
    enqueue(stream, Operation{.work = std::move(shared)});
  }
  return cudaSuccess;
}

void Machine::enqueue(Stream& stream, Operation operation) {
  if (stream.operations.empty()) stream.priority = lots_.draw();
  stream.operations.push_back(std::move(operation));
}

// Nodes are loose operations, which moments hold in their order; in the stream there remain their beginning and their end.
void Machine::launch(Stream& stream, CUgraphExec_st& graph) {
  Operation begin{.leaves = std::make_shared<Moment>()}, end{.leaves = std::make_shared<Moment>()};
  if (graph.last != nullptr) begin.awaits.push_back(graph.last);
  end.awaits.push_back(begin.leaves);
  std::vector<MomentPointer> done;
  for (const Node& node : graph.nodes) {
    Operation& operation = loose_.emplace_back(
        Operation{.work = node.work, .awaits = {begin.leaves}, .leaves = std::make_shared<Moment>()});
    operation.priority = lots_.draw();
    for (const std::size_t other : node.after) operation.awaits.push_back(done[other]);
    if (node.records != nullptr) node.records->latest = operation.leaves;
    done.push_back(operation.leaves);
    end.awaits.push_back(operation.leaves);
  }
  graph.last = end.leaves;
  enqueue(stream, std::move(begin));
  enqueue(stream, std::move(end));
}

// ---- What is done

Machine::Candidate Machine::next() {
  Candidate best;
  const auto consider = [&](Operation& operation, Stream* stream, std::uint64_t priority) {
    const auto first = [&] {
      return best.stream != nullptr ? best.stream->priority : best.operation->priority;
    };
    if (operation.is_ready() && (best.operation == nullptr || priority > first()))
      best = {&operation, stream};
  };
  const auto consider_stream = [&](const std::shared_ptr<CUstream_st>& stream) {
    if (!stream->operations.empty()) consider(stream->operations.front(), stream.get(), stream->priority);
  };
  for (const auto& stream : legacy_) consider_stream(stream);
  for (const auto& stream : streams.all()) consider_stream(stream);
  for (Operation& operation : loose_) consider(operation, nullptr, operation.priority);
  return best;
}

bool Machine::run_one() {
  const Candidate chosen = next();
  if (chosen.operation == nullptr) return false;
  const auto latest = [](double seconds, const MomentPointer& moment) {
    return std::max(seconds, moment->seconds);
  };
  Operation operation = std::move(*chosen.operation);
  double seconds = chosen.stream != nullptr ? chosen.stream->seconds : 0;
  for (const MomentPointer& moment : operation.awaits) seconds = latest(seconds, moment);
  if (operation.work != nullptr) {
    perform(*operation.work);
    seconds += operation.work->seconds;
  }
  if (operation.leaves != nullptr) *operation.leaves = {true, seconds};
  if (chosen.stream == nullptr) {
    loose_.erase(loose_.begin() + (chosen.operation - loose_.data()));
  } else {
    chosen.stream->operations.pop_front();
    chosen.stream->seconds = seconds;
    if (lots_.change()) chosen.stream->priority = lots_.draw();
  }
  return true;
}

// A device that has done what it must not does nothing any more.
void Machine::perform(const Work& work) {
  cudaError_t& fault = faults_[static_cast<std::size_t>(work.device)];
  if (fault != cudaSuccess) return;
  if (!may_touch(work)) {
    fault = cudaErrorIllegalAddress;
    return;
  }
  for (const Touch& touch : work.touches)
    if (const int home = memory.home(touch.data); home != Memory::host) memory.open(home);
  has_given_up_ = false;
  work.run();
  if (has_given_up_) fault = cudaErrorAssert;
}

void Machine::give_up(const char* claim) {
  if (!has_given_up_) fmt::print(stderr, "GPU: assertion `{}` failed\n", claim);
  has_given_up_ = true;
}

// The message says where, for the person who looks for it.
bool Machine::may_touch(const Work& work) const {
  return std::ranges::all_of(work.touches, [&](const Touch& touch) {
    const int home = memory.home(touch.data);
    const bool is_reached = home == Memory::host || home == work.device || work.is_copy ||
                            connected.contains({work.device, home});
    if (is_reached && memory.holds(touch.data, touch.size)) return true;
    fmt::print(stderr, "GPU {} is led to {} bytes at {}, {}\n", work.device, touch.size, touch.data,
               is_reached ? "where nothing is allocated" : fmt::format("which GPU {} holds", home));
    return false;
  });
}

// While the host has its turn, the GPUs' memories are closed.
template <class More>
void Machine::run_while(const More& more) {
  try {
    while (more()) {
    }
  } catch (...) {
    memory.close_all();
    throw;
  }
  memory.close_all();
}

void Machine::run_until(const Moment& moment) {
  run_while([&] {
    WT_EXPECT(moment.has_come || run_one(), "the host waits for a moment that never comes");
    return !moment.has_come;
  });
}

void Machine::run(const Stream& stream) {
  run_while([&] {
    WT_EXPECT(stream.operations.empty() || run_one(), "the host waits for a stream that waits for ever");
    return !stream.operations.empty();
  });
}

void Machine::run_all() {
  run_while([&] { return run_one(); });
}

void Machine::run_ahead() {
  std::size_t left = lots_.ahead();
  run_while([&] { return left-- > 0 && run_one(); });
}

}  // namespace wt::emulation
