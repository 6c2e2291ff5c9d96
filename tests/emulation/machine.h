#pragma once
// A machine of several GPUs on the CPU, so that everything that this program does with CUDA runs, and is checked, where
// there is none. It answers CUDA's calls (api/) with CUDA's errors; the work that it is given waits in streams until
// somebody waits for it, and is done in an order that a seed draws among all that events allow. Says nothing about speed.
// One thread of the host may use it.

#include <cuda_runtime_api.h>

#include <set>
#include <utility>

#include "emulation/graphs.h"
#include "emulation/handles.h"
#include "emulation/memory.h"
#include "emulation/streams.h"

namespace wt::emulation {

struct Description {
  int gpus = 4;
  std::size_t memory = std::size_t{512} << 20;  // of each
  std::set<std::pair<int, int>> staged{};       // from, to: between them there is no direct way
  unsigned seed = 0;
  bool has_convolutions = true;  // where not, cuDNN has no way to do what it is asked for
};

class Machine {
 public:
  explicit Machine(const Description& description);  // is the machine at hand until it ends
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Description& description() const { return description_; }
  void draw_by(unsigned seed) { lots_ = Lots(seed); }
  bool has_device(int device) const { return device >= 0 && device < description_.gpus; }

  // What the host has set, and was answered last.
  int current = 0;
  cudaError_t last_error = cudaSuccess;
  std::set<std::pair<int, int>> connected{};  // from, to

  Memory memory;
  Handles<CUstream_st> streams{};
  Handles<CUevent_st> events{};
  Handles<CUgraph_st> graphs{};
  Handles<CUgraphExec_st> ready_graphs{};
  std::shared_ptr<CUstream_st> find_stream(cudaStream_t handle);  // of none the current device's legacy one
  std::size_t things() const;                                     // made and not yet given back
  std::shared_ptr<Capture> capture_of_host()
      const;  // one that forbids calls which might wait; null: there is none

  // Into the stream, or into what it captures.
  cudaError_t enqueue(Stream& stream, Work work);
  void enqueue(Stream& stream, Operation operation);
  void launch(Stream& stream, CUgraphExec_st& graph);

  void run_until(const Moment& moment);
  void run(const Stream& stream);
  void run_all();
  void run_ahead();  // as many as the lot says
  cudaError_t fault(int device) const { return faults_[static_cast<std::size_t>(device)]; }
  void give_up(const char* claim);  // a kernel's assertion doesn't hold

 private:
  struct Candidate {
    Operation* operation = nullptr;
    Stream* stream = nullptr;  // none: a node of a graph
  };
  template <class More>
  void run_while(const More& more);
  bool run_one();  // false: nothing is ready
  Candidate next();
  void perform(const Work& work);
  bool may_touch(const Work& work) const;

  const Description description_;
  Machine* const before_;
  Lots lots_;
  std::vector<std::shared_ptr<CUstream_st>> legacy_{};  // by device
  std::vector<Operation> loose_{};                      // nodes of graphs under way
  std::vector<cudaError_t> faults_;  // by device: what a kernel did that CUDA never forgives
  bool has_given_up_ = false;        // the kernel that runs
};

Machine& machine();  // at hand: the last one made, or one of four GPUs

}  // namespace wt::emulation
