#include <nccl.h>

#include <cstring>
#include <map>

#include "emulation/machine.h"
#include "tensor/half.h"

namespace wt::emulation {
namespace {

// Ranks that were started together, by rank.
struct Clique {
  std::vector<ncclComm_t> ranks{};
};

// The call of one rank.
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
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclFloat64:
      break;
  }
  return 8;
}

using Brought = std::vector<std::vector<std::byte>>;  // by rank

// From the last rank to the first: NCCL's order is its own, and not the plan's.
template <class T>
void add(const Brought& brought, void* to) {
  std::vector<T> sums(brought.front().size() / sizeof(T));
  for (auto own = brought.rbegin(); own != brought.rend(); ++own)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = static_cast<T>(sums[i] + reinterpret_cast<const T*>(own->data())[i]);
  std::memcpy(to, sums.data(), sums.size() * sizeof(T));
}

template <class Half>
void add_halves(const Brought& brought, void* to) {
  std::vector<float> sums(brought.front().size() / sizeof(Half));
  for (auto own = brought.rbegin(); own != brought.rend(); ++own)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += wt::widened(reinterpret_cast<const Half*>(own->data())[i]);
  for (std::size_t i = 0; i < sums.size(); ++i) static_cast<Half*>(to)[i] = wt::rounded<Half>(sums[i]);
}

void finish(const Call& rank, const Brought& brought) {
  if (rank.root >= 0) {
    const std::vector<std::byte>& source = brought[static_cast<std::size_t>(rank.root)];
    std::memcpy(rank.to, source.data(), source.size());
    return;
  }
  switch (rank.type) {
    case ncclUint8:
      return add<std::uint8_t>(brought, rank.to);
    case ncclInt32:
      return add<std::int32_t>(brought, rank.to);
    case ncclInt64:
      return add<std::int64_t>(brought, rank.to);
    case ncclFloat32:
      return add<float>(brought, rank.to);
    case ncclFloat64:
      return add<double>(brought, rank.to);
    case ncclFloat16:
      return add_halves<Float16>(brought, rank.to);
    case ncclBfloat16:
      return add_halves<BFloat16>(brought, rank.to);
  }
}

// Neither a capture, which NCCL's manual advises against where one thread drives several GPUs, nor another GPU's stream.
ncclResult_t check(const std::vector<Call>& ranks) {
  for (const Call& rank : ranks) {
    if (!rank.agrees_with(ranks.front())) return ncclInvalidUsage;
    const auto stream = machine().find_stream(rank.stream);
    if (stream == nullptr || stream->device != rank.communicator->device) return ncclUnhandledCudaError;
    if (stream->capture != nullptr) return ncclInvalidUsage;
  }
  return ncclSuccess;
}

// A rank's numbers are taken when its own stream comes to it, whatever the others do, and its stream goes on when it has
// the result, whether or not they have it: that is all that NCCL promises.
void enqueue(const std::vector<Call>& ranks) {
  Machine& m = machine();
  const auto brought = std::make_shared<Brought>(ranks.size());
  const auto enqueue_for = [&](const Call& rank, const void* data, std::vector<MomentPointer> awaits,
                               std::function<void()> run) {
    const std::size_t size = rank.count * size_of(rank.type);
    const auto done = std::make_shared<Moment>();
    m.enqueue(*m.find_stream(rank.stream),
              Operation{.work = std::make_shared<const Work>(Work{.device = rank.communicator->device,
                                                                  .seconds = seconds_of(size),
                                                                  .touches = {{data, size}},
                                                                  .run = std::move(run)}),
                        .awaits = std::move(awaits),
                        .leaves = done});
    return done;
  };
  std::vector<MomentPointer> all_brought;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    all_brought.push_back(enqueue_for(ranks[i], ranks[i].from, {}, [brought, i, rank = ranks[i]] {
      const auto* data = static_cast<const std::byte*>(rank.from);
      (*brought)[i].assign(data, data + rank.count * size_of(rank.type));
    }));
  for (const Call& rank : ranks)
    enqueue_for(rank, rank.to, all_brought, [brought, rank] { finish(rank, *brought); });
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
  for (const auto& [clique, ranks] : by_rank) {
    for (const std::vector<Call>& own : ranks)
      if (own.size() != ranks.front().size()) return ncclInvalidUsage;
    for (std::size_t n = 0; n < ranks.front().size(); ++n) {
      std::vector<Call> together;
      for (const std::vector<Call>& own : ranks) together.push_back(own[n]);
      if (const ncclResult_t result = check(together); result != ncclSuccess) return result;
      enqueue(together);
    }
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
