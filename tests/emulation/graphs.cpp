#include "emulation/graphs.h"

#include <algorithm>
#include <utility>

namespace wt::emulation {

std::shared_ptr<Capture> Capture::begin(Stream& origin, cudaStreamCaptureMode mode) {
  const std::shared_ptr<Capture> capture(new Capture(origin, mode));
  capture->join(origin, {});
  return capture;
}

cudaError_t Capture::invalidate(cudaError_t why) {
  is_valid_ = false;
  return why;
}

void Capture::join(Stream& stream, const std::vector<std::size_t>& behind) {
  if (stream.capture == nullptr) {
    stream.capture = shared_from_this();
    members_.push_back(&stream);
  }
  for (const std::size_t node : behind)
    if (!std::ranges::count(stream.tail, node)) stream.tail.push_back(node);
}

void Capture::add(Stream& stream, Node node) {
  node.after = std::exchange(stream.tail, {nodes_.size()});
  nodes_.push_back(std::move(node));
}

bool Capture::is_joined() const {
  std::vector<bool> comes_before(nodes_.size());
  for (const std::size_t node : origin_->tail) comes_before[node] = true;
  for (std::size_t node = nodes_.size(); node-- > 0;)
    if (comes_before[node])
      for (const std::size_t other : nodes_[node].after) comes_before[other] = true;
  return std::ranges::all_of(members_, [&](const Stream* stream) {
    return std::ranges::all_of(stream->tail, [&](std::size_t node) { return comes_before[node]; });
  });
}

Nodes Capture::end() {
  for (Stream* stream : std::exchange(members_, {})) {
    stream->capture.reset();
    stream->tail.clear();
  }
  return std::move(nodes_);
}

}  // namespace wt::emulation
