#pragma once
// Streams of work that runs later: work given to a stream waits in it, and the machine does it when the host waits, in any
// order that events allow. Which of those it is, a seed draws.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace wt::emulation {

// When something was done, by the clock of the machine; before, it has not come.
struct Moment {
  bool has_come = false;
  double seconds = 0;
};
using MomentPointer = std::shared_ptr<Moment>;

// Bytes that a piece of work finds in memory; of a kernel's argument only the address is known.
struct Touch {
  const void* data = nullptr;
  std::size_t size = 0;
};

struct Work {
  int device = 0;
  double seconds = 0;
  std::vector<Touch> touches{};
  bool is_copy = false;  // which reaches every GPU's memory, others' only where peers are connected
  std::function<void()> run{};
};
using WorkPointer = std::shared_ptr<const Work>;

// Emulated GPUs are slow, so that who measures until enough time has passed measures a few times.
double seconds_of(std::size_t bytes);

struct Operation {
  WorkPointer work{};  // none: only waits, or only notes a moment
  std::vector<MomentPointer> awaits{};
  MomentPointer leaves{};
  std::uint64_t priority = 0;

  bool is_ready() const;
};

class Capture;

struct Stream {
  int device = 0;
  bool is_legacy = false;
  std::deque<Operation> operations{};
  double seconds = 0;  // when its last operation was done
  std::uint64_t priority = 0;
  std::shared_ptr<Capture> capture{};  // work given to the stream becomes part of it
  std::vector<std::size_t> tail{};     // nodes of the capture that the next one follows
};

struct Event {
  int device = 0;
  bool is_timed = false;
  MomentPointer latest{};              // none: never recorded
  std::shared_ptr<Capture> capture{};  // in which it was last recorded, behind these nodes
  std::vector<std::size_t> nodes{};
};

// Who goes next. The first of random priorities, which change now and then: so one stream runs far ahead of another,
// which shows a missing wait sooner than fair turns do (Burckhardt and others, "A randomized scheduler with probabilistic
// guarantees of finding bugs", 2010).
class Lots {
 public:
  explicit Lots(unsigned seed) : random_(seed), seed_(seed) {}
  std::uint64_t draw() { return random_(); }
  bool change() { return random_() % 4 == 0; }
  // How many operations a machine does at a call that doesn't wait: by seed none, some, or all it can.
  std::size_t ahead();

 private:
  std::mt19937_64 random_;
  unsigned seed_;
};

}  // namespace wt::emulation

struct CUstream_st final : wt::emulation::Stream {};
struct CUevent_st final : wt::emulation::Event {};
