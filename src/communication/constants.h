#pragma once
// The costs that a communication library adds to those of the links: the contents of
// platforms/communication.json, which names the source of each value. Rates are those of one direction.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "collective/protocol.h"

namespace wt::communication {

using PerProtocol = std::map<collective::Protocol, Seconds>;
using PerPattern = std::map<std::string, PerProtocol, std::less<>>;  // keys: "ring", "tree"

// The loops in which NVSwitches add and multicast (NVLS). Each loop works on channels x ranks x chunk bytes.
struct Loops {
  Seconds start{};        // once for each call
  Seconds loop{};         // for each loop, besides its bytes
  BytesPerSecond rate{};  // of the link of one device
  int channels = 16;
  Bytes chunk{};
};

// The loops of NVLSTree, where they differ from those of NVLS.
struct TreeLoops {
  Seconds loop{};
  int channels = 16;
};

// A generation of GPUs.
struct Generation {
  Seconds simple{};             // of one step over NVLink with protocol Simple
  BytesPerSecond ll_rate{};     // bus bandwidth that LL reaches over NVLink
  BytesPerSecond ll_network{};  // rate that LL reaches between machines
  // Of all blocks that carry a ring of Simple behind switches, if they are no faster than the links.
  std::optional<BytesPerSecond> ring_blocks{};
  // Within a machine, LL128 has another payload for vectors above this size, if it is set.
  std::optional<Bytes> ll128_from{};
  double ll128_payload = 0;
  double tree_share = 1;  // of the network cards' rate that trees reach
  std::optional<Loops> nvls{};
  std::optional<Loops> nvls_joined{};  // where a fabric joins the devices of several machines (NVL72)
  std::optional<TreeLoops> nvls_tree{};
};

// A class of network cards.
struct Network {
  PerProtocol step{};  // time of one step between machines
  std::map<std::string, PerProtocol, std::less<>>
      of_generation{};                         // where that was measured by generation of GPUs
  std::optional<BytesPerSecond> ll_rate{};     // of LL, if it is below the rate that the GPUs reach
  std::optional<BytesPerSecond> ll128_rate{};  // of LL128 in trees, if it is below that of the cards
  std::optional<Bytes> chunk{};  // of Simple, where the plugin sets larger buffers than NCCL's own
  // In NVLSTree of several loops, a card passes a loop's bytes on once it has received this many times their number.
  double stored = 0;
  // Share of the cards' rate that NVLSTree reaches among more than two machines, where a card serves two children.
  double branched = 1;
  // Whether the library's plugin allows these protocols, and NVLSTree.
  bool has_ll = true, has_ll128 = true, has_nvls_tree = true;
};

// A way to start the ranks of a collective.
struct Launch {
  Seconds call{};
  Seconds per_device{};  // for each device that a process drives
};

// What the software at both ends adds to the time that a message takes on the wires.
struct Transfer {
  Seconds latency{};
  BytesPerSecond rate{};

  Seconds of(Bytes bytes) const { return latency + bytes / rate; }
  Seconds per_byte() const { return Seconds(1 / rate.count()); }
};

// TensorFlow's own transfers between processes.
struct Grpc {
  Transfer ring{};     // of a chunk, from a worker to the next one
  Transfer pull{};     // of a variable, from a parameter server to a worker
  Transfer push{};     // of a gradient, from a worker to a parameter server
  Seconds dispatch{};  // of a closure, by the coordinator
};

// What answers are marked with whose times rest on these.
inline constexpr std::string_view basis_of_grpc = "gRPC as on the loopback of a 2-core machine, no wire";

// Messages between GPUs of a machine that pass through the memory of its host.
struct Staging {
  double ll = 0.5;  // payload of LL
  // So many staged bytes of a call stay in the caches of the host. Those beyond reach only this share of the rate.
  Bytes cache{};
  double beyond_cache = 1;
};

// Channels of NCCL's protocol LL.
struct LlChannel {
  BytesPerSecond rate{};
  Bytes bytes{};  // a call uses one channel for so much of the chunk of a rank
};

// Devices that meet in a collective wait for the slowest of them, once in every step.
struct Synchronization {
  double spread = 0;  // standard deviation over mean of the compute time of a device in a step
  Seconds process{};  // in each process, for each step
};

struct Constants {
  PerPattern base{};                                 // of each call
  std::map<collective::Protocol, double> payload{};  // share of the vector in the bytes on the wire
  PerPattern nvlink{};  // of a step over NVLink; that of a ring with Simple is in its Generation
  PerPattern pcie{};    // of a step over PCIe
  PerPattern xgmi{};    // of a step over xGMI, by RCCL
  Staging staging{};
  // If network cards can't reach the GPUs directly, vectors below this size reach only this share of the
  // rate.
  Bytes host_copies_below{};
  double host_copies_share = 1;
  std::map<std::string, Generation, std::less<>> generations{};
  std::map<std::string, Network, std::less<>> networks{};
  std::map<std::string, Launch, std::less<>> launches{};
  LlChannel ll_channel{};
  Synchronization synchronization{};
  Grpc grpc{};
};

// The file that is installed, which is read at the first call. Throws InputError if it has mistakes.
const Constants& constants();

// Other constants in their place as long as it lives, for studies of what these would give. Requires: no other thread
// asks for constants meanwhile, and of several the youngest ends first.
class OtherConstants {
 public:
  explicit OtherConstants(const Constants& other);
  ~OtherConstants();
  OtherConstants(const OtherConstants&) = delete;
  OtherConstants& operator=(const OtherConstants&) = delete;

 private:
  const Constants* before_ = nullptr;
};

// Such a file. Throws InputError with all its mistakes.
Constants read_constants(const std::filesystem::path& file);

}  // namespace wt::communication
