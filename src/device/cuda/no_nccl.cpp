// Replaces nccl.cpp in programs that are built without NCCL.
#include "base/error.h"
#include "device/cuda/nccl.h"

namespace wt::device {

std::unique_ptr<Communicator> make_nccl(const std::vector<const CudaQueue*>&) {
  throw InputError("this program was built without NCCL",
                   "install NCCL 2 (libnccl-dev) and build again, or remove \"collectives\" from \"host\"");
}

}  // namespace wt::device
