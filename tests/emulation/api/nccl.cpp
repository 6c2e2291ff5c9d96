#include <nccl.h>

#include <cstring>
#include <map>

#include "emulation/machine.h"

namespace wt::emulation {
namespace {

// Ranks that were started together, by rank.
struct Clique {
  std::vector<ncclComm_t> ranks{};
};

// What one rank was told.
struct Call {
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;
  ncclDataType_t type{};
  int root = -1;  // of a broadcast; none: an all-reduce

  bool agrees_with(const Call& other) const {
    return count == other.count && type == other.type && root == other.root;
  }
};

int depth = 0;
std::vector<Call> calls;  // of the group that is open

}  // namespace
}  // namespace wt::emulation

struct ncclComm final {
  int rank = 0;
  int device = 0;
  std::shared_ptr<wt::emulation::Clique> clique{};
};

namespace wt::emulation {
namespace {

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclUint8:
      return 1;
    case ncclInt32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclFloat64:
      break;
  }
  return 8;
}

// From the last rank to the first: NCCL's order is its own, and not the plan's.
template <class T>
void add(const std::vector<Call>& ranks) {
  std::vector<T> sums(ranks.front().count);
  for (auto rank = ranks.rbegin(); rank != ranks.rend(); ++rank)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = static_cast<T>(sums[i] + static_cast<const T*>(rank->from)[i]);
  for (const Call& rank : ranks) std::memcpy(rank.to, sums.data(), sums.size() * sizeof(T));
}

void carry_out(const std::vector<Call>& ranks) {
  const Call& first = ranks.front();
  if (first.root >= 0) {
    const Call& root = ranks[static_cast<std::size_t>(first.root)];
    for (const Call& rank : ranks) std::memmove(rank.to, root.from, first.count * size_of(first.type));
    return;
  }
  switch (first.type) {
    case ncclUint8:
      return add<std::uint8_t>(ranks);
    case ncclInt32:
      return add<std::int32_t>(ranks);
    case ncclInt64:
      return add<std::int64_t>(ranks);
    case ncclFloat32:
      return add<float>(ranks);
    case ncclFloat64:
      return add<double>(ranks);
  }
}

// The ranks' streams meet: it begins when the last of them has come to it, and none goes on before it is done. A graph
// of several GPUs is what NCCL's manual advises against, so here there is none.
ncclResult_t enqueue(const std::vector<Call>& ranks) {
  Machine& m = machine();
  Work work{.device = ranks.front().communicator->device, .is_copy = true};
  std::vector<std::shared_ptr<CUstream_st>> streams;
  for (const Call& rank : ranks) {
    if (!rank.agrees_with(ranks.front())) return ncclInvalidUsage;
    const auto stream = m.find_stream(rank.stream);
    if (stream == nullptr || stream->device != rank.communicator->device) return ncclUnhandledCudaError;
    if (stream->capture != nullptr) return ncclInvalidUsage;
    streams.push_back(stream);
    const std::size_t size = rank.count * size_of(rank.type);
    work.touches.insert(work.touches.end(), {{rank.from, size}, {rank.to, size}});
    work.seconds = seconds_of(size);
  }
  work.run = [ranks] { carry_out(ranks); };
  Operation meeting{.work = std::make_shared<const Work>(std::move(work)),
                    .leaves = std::make_shared<Moment>()};
  const MomentPointer done = meeting.leaves;
  for (const auto& stream : streams) {
    meeting.awaits.push_back(std::make_shared<Moment>());
    m.enqueue(*stream, Operation{.leaves = meeting.awaits.back()});
  }
  m.enqueue(*streams.front(), std::move(meeting));
  for (const auto& stream : streams) m.enqueue(*stream, Operation{.awaits = {done}});
  return ncclSuccess;
}

// The n-th call of a rank belongs to the n-th of each other rank of its clique. Where one of them is missing, NCCL would
// wait for it for ever.
ncclResult_t close_group() {
  std::map<const Clique*, std::vector<std::vector<Call>>> by_rank;
  for (const Call& call : std::exchange(calls, {})) {
    auto& ranks = by_rank[call.communicator->clique.get()];
    ranks.resize(call.communicator->clique->ranks.size());
    ranks[static_cast<std::size_t>(call.communicator->rank)].push_back(call);
  }
  for (const auto& [clique, ranks] : by_rank)
    for (std::size_t n = 0; n < ranks.front().size(); ++n) {
      std::vector<Call> together;
      for (const std::vector<Call>& own : ranks) {
        if (own.size() != ranks.front().size()) return ncclInvalidUsage;
        together.push_back(own[n]);
      }
      if (const ncclResult_t result = enqueue(together); result != ncclSuccess) return result;
    }
  return ncclSuccess;
}

ncclResult_t call(const Call& call) {
  if (call.communicator == nullptr) return ncclInvalidArgument;
  calls.push_back(call);
  return depth > 0 ? ncclSuccess : close_group();
}

}  // namespace
}  // namespace wt::emulation

using namespace wt::emulation;

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclSystemError:
    case ncclInternalError:
    case ncclRemoteError:
    case ncclInProgress:
      break;
  }
  return "another error";
}

// Two ranks never share a GPU.
ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
  const Machine& m = machine();
  auto clique = std::make_shared<Clique>();
  for (int rank = 0; rank < count; ++rank) {
    if (!m.has_device(devices[rank])) return ncclInvalidArgument;
    for (int other = 0; other < rank; ++other)
      if (devices[other] == devices[rank]) return ncclInvalidUsage;
  }
  for (int rank = 0; rank < count; ++rank) {
    communicators[rank] = new ncclComm{.rank = rank, .device = devices[rank], .clique = clique};
    clique->ranks.push_back(communicators[rank]);
  }
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  delete communicator;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (depth == 0) return ncclInvalidUsage;
  return --depth > 0 ? ncclSuccess : close_group();
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t,
                           ncclComm_t communicator, cudaStream_t stream) {
  return call(
      {.communicator = communicator, .stream = stream, .from = from, .to = to, .count = count, .type = type});
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  if (root < 0) return ncclInvalidArgument;
  return call({communicator, stream, from, to, count, type, root});
}
