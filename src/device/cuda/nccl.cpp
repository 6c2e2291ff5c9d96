#include "device/cuda/nccl.h"

#include <nccl.h>

#include <algorithm>
#include <array>

#include "base/narrow.h"
#include "device/cuda_trouble.h"

namespace wt::device {

namespace {

// The names of NCCL's results. The library itself provides descriptions only.
std::string_view name_of(ncclResult_t result) {
  constexpr std::array<std::string_view, 8> names{
      "ncclSuccess",         "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
      "ncclInvalidArgument", "ncclInvalidUsage",       "ncclRemoteError", "ncclInProgress"};
  const auto number = static_cast<std::size_t>(result);
  return number < names.size() ? names[number] : "a result that is unknown in NCCL 2.28";
}

void check(ncclResult_t result, std::string_view operation, const CudaDevice& device) {
  if (result != ncclSuccess)
    throw_cuda_trouble(operation, {name_of(result), ncclGetErrorString(result)}, device);
}

ncclDataType_t nccl_type(Type type) {
  switch (type) {
    case Type::float32:
      return ncclFloat32;
    case Type::float64:
      return ncclFloat64;
    case Type::int32:
      return ncclInt32;
    case Type::int64:
      return ncclInt64;
    case Type::float16:
      return ncclFloat16;
    case Type::bfloat16:
      return ncclBfloat16;
    case Type::boolean:
    case Type::uint8:
      break;
  }
  return ncclUint8;
}

class Nccl final : public Communicator {
 public:
  explicit Nccl(const std::vector<const CudaQueue*>& ranks) : ranks_(ranks), communicators_(ranks.size()) {
    std::vector<int> ordinals;
    for (const CudaQueue* rank : ranks) ordinals.push_back(rank->device().ordinal);
    check(ncclCommInitAll(communicators_.data(), narrow<int>(ordinals.size()), ordinals.data()), "start NCCL",
          ranks.front()->device());
  }
  ~Nccl() override {
    for (ncclComm_t communicator : communicators_) ncclCommDestroy(communicator);
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  void all_reduce(const Shares& shares, Queue& queue) override {
    const ncclDataType_t type = nccl_type(shares.type);
    const auto count = static_cast<std::size_t>(shares.elements);
    run(shares, queue, "add among GPUs", [&](std::byte* data, std::size_t rank) {
      return ncclAllReduce(data, data, count, type, ncclSum, communicators_[rank], ranks_[rank]->stream());
    });
  }

  void broadcast(const Shares& shares, std::size_t root, Queue& queue) override {
    const ncclDataType_t type = nccl_type(shares.type);
    const auto count = static_cast<std::size_t>(shares.elements);
    const auto source = narrow<int>(rank_of(*shares.of_ranks[root].queue));
    run(shares, queue, "copy to all GPUs", [&](std::byte* data, std::size_t rank) {
      return ncclBroadcast(data, data, count, type, source, communicators_[rank], ranks_[rank]->stream());
    });
  }

 private:
  std::size_t rank_of(const Queue& queue) const {
    const auto found = std::ranges::find(ranks_, &queue);
    WT_EXPECT(found != ranks_.end(), "the queue of a buffer is not a rank of NCCL");
    return static_cast<std::size_t>(found - ranks_.begin());
  }

  // A thread that drives several ranks must put their calls into one group (NCCL's manual, "Group Calls").
  // The group is ended even if a call fails.
  template <class Call>
  void run(const Shares& shares, Queue& queue, std::string_view operation, const Call& call) {
    WT_EXPECT(shares.of_ranks.size() == ranks_.size(), "{} of {} ranks call NCCL", shares.of_ranks.size(),
              ranks_.size());
    const Event begun = queue.record();
    for (const Shares::Share& share : shares.of_ranks) share.queue->wait(begun);
    ncclResult_t result = ncclGroupStart();
    for (const Shares::Share& share : shares.of_ranks)
      if (result == ncclSuccess) result = call(share.data, rank_of(*share.queue));
    const ncclResult_t ended = ncclGroupEnd();
    check(result == ncclSuccess ? ended : result, operation, ranks_.front()->device());
    for (const Shares::Share& share : shares.of_ranks) queue.wait(share.queue->record());
  }

  std::vector<const CudaQueue*> ranks_;
  std::vector<ncclComm_t> communicators_;  // by rank
};

}  // namespace

std::unique_ptr<Communicator> make_nccl(const std::vector<const CudaQueue*>& ranks) {
  return std::make_unique<Nccl>(ranks);
}

}  // namespace wt::device
