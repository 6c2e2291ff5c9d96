#pragma once
// The work of captured streams, and the order between its parts.

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "emulation/streams.h"

namespace wt::emulation {

struct Node {
  WorkPointer work{};  // none: an event that the graph records
  std::shared_ptr<CUevent_st> records{};
  std::vector<std::size_t> after{};  // earlier nodes
};
using Nodes = std::vector<Node>;

// A stream that begins, and those that join it by waiting for an event in it, until it ends.
class Capture : public std::enable_shared_from_this<Capture> {
 public:
  static std::shared_ptr<Capture> begin(Stream& origin, cudaStreamCaptureMode mode);

  const Stream* origin() const { return origin_; }
  cudaStreamCaptureMode mode() const { return mode_; }
  bool is_valid() const { return is_valid_; }
  bool has_ended() const { return members_.empty(); }
  cudaError_t invalidate(cudaError_t why);  // and answers so

  void join(Stream& stream, const std::vector<std::size_t>& behind);
  void add(Stream& stream, Node node);
  // Whether every stream's work comes before the end of the first one's.
  bool is_joined() const;
  Nodes end();  // its streams are free again

 private:
  Capture(Stream& origin, cudaStreamCaptureMode mode) : origin_(&origin), mode_(mode) {}

  Stream* origin_;
  cudaStreamCaptureMode mode_;
  std::vector<Stream*> members_{};
  Nodes nodes_{};
  bool is_valid_ = true;
};

}  // namespace wt::emulation

struct CUgraph_st final {
  wt::emulation::Nodes nodes{};
};
struct CUgraphExec_st final {
  wt::emulation::Nodes nodes{};
  wt::emulation::MomentPointer last{};  // when its last launch is done: the next begins behind
};
