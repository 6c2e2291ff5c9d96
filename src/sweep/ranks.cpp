#include "sweep/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "base/installation.h"
#include "base/narrow.h"
#include "sweep/deal.h"
#include "sweep/mpi/module.h"

namespace wt::sweep {

namespace {

constexpr const char* module_name = "windtunnel_mpi.so";
constexpr std::chrono::microseconds pause{500};  // between two looks for a message
constexpr const char* end_message = "end";

// Open MPI, MPICH and Intel MPI, and any launcher that speaks PMIx.
bool is_started_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

const WindtunnelRanks& load() {
  const std::filesystem::path path = helper_program(module_name, "WINDTUNNEL_MPI");
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* function = module == nullptr ? nullptr : ::dlsym(module, "windtunnel_ranks");
  if (function == nullptr) {
    const char* why = ::dlerror();
    throw MachineError("mpi", fmt::format("{}: {}", path.string(), why == nullptr ? "unknown error" : why));
  }
  return *reinterpret_cast<const WindtunnelRanks* (*)()>(function)();
}

bool is_there() {
  try {
    helper_program(module_name, "WINDTUNNEL_MPI");
    return true;
  } catch (const MachineError&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<Ranks> Ranks::of_this_process() {
  if (!is_started_by_mpirun()) return nullptr;
  if (!is_there())
    throw InputError(
        "mpirun has started this program, and it was built without MPI",
        "install Open MPI (Debian: libopenmpi-dev) and build again; or share the points with --shard");
  std::unique_ptr<Ranks> ranks(new Ranks(load()));
  if (ranks->ranks_.size > 1) return ranks;
  ranks->ranks_.end();
  ranks->has_ended_ = true;
  return nullptr;
}

Ranks::~Ranks() {
  if (has_ended_) return;
  if (is_first())
    for (int rank = 1; rank < ranks_.size; ++rank) ranks_.send(rank, end_message, 3);
  ranks_.end();
}

bool Ranks::is_first() const { return ranks_.rank == 0; }

// MPI itself would wait with a processor for itself, which here could compute.
bool Ranks::next(int& from, std::string& message) {
  const int size = ranks_.look(&from);
  if (size < 0) {
    std::this_thread::sleep_for(pause);
    return false;
  }
  message.resize(static_cast<std::size_t>(size));
  ranks_.receive(from, message.data(), size);
  return true;
}

void Ranks::give_up() {
  has_ended_ = true;
  ranks_.abort(130);
}

void Ranks::share(const Work& work) {
  Deal deal(work.numbers, static_cast<std::size_t>(ranks_.size - 1));  // Rank 0 takes none.
  std::vector<std::size_t> in_flight(static_cast<std::size_t>(ranks_.size));
  std::size_t missing = work.numbers.size();
  const auto feed = [&](int rank) {
    for (const std::int64_t next : deal.next(static_cast<std::size_t>(rank - 1))) {
      const std::string number = std::to_string(next);
      ranks_.send(rank, number.data(), narrow<int>(number.size()));
      ++in_flight[static_cast<std::size_t>(rank)];
    }
  };
  for (int rank = 1; rank < ranks_.size; ++rank) feed(rank);
  while (missing > 0) {
    if (work.is_stopped()) return give_up();
    int from = 0;
    std::string line;
    if (!next(from, line)) continue;
    work.deliver(std::span(&line, 1));
    --missing;
    if (--in_flight[static_cast<std::size_t>(from)] < 2) feed(from);
  }
}

void Ranks::serve(const std::function<std::string(std::int64_t number)>& line_of) {
  for (;;) {
    int from = 0;
    std::string message;
    if (!next(from, message)) continue;
    if (message == end_message) return;
    const std::string line = line_of(std::stoll(message));
    ranks_.send(0, line.data(), narrow<int>(line.size()));
  }
}

}  // namespace wt::sweep
