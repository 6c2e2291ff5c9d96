#pragma once
// Which reduction brings the replicas' gradients together, and why.

#include <string>

namespace wt::strategy {

struct ReductionChoice {
  std::string name{};       // TensorFlow's: "CollectiveAllReduce (NCCL)"
  std::string algorithm{};  // "ring"
  std::string protocol{};   // of NCCL: "Simple"
  std::string why{};
  std::string otherwise{};   // a sentence on what NCCL would run, if something else runs on GPUs
  bool is_librarys = false;  // NCCL carries it out
};

// "ring with Simple": the algorithm and, where a library chose one, its protocol.
std::string print(const ReductionChoice& reduction);

}  // namespace wt::strategy
