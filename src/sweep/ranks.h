#pragma once
// The ranks of an MPI program that share the points of a sweep: `mpirun -n 8 windtunnel sweep FILE`. Rank 0
// hands the points out and writes the journal, and the others compute.

#include <functional>
#include <memory>
#include <string>

#include "sweep/crew.h"

struct WindtunnelRanks;

namespace wt::sweep {

class Ranks {
 public:
  // Null unless mpirun has started this process, and others with it. Throws InputError if this program was
  // built without MPI.
  static std::unique_ptr<Ranks> of_this_process();

  // Rank 0 lets the others end, however it ends itself.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  bool is_first() const;

  // As share() of sweep/crew.h, of which `lost_line` is not used: a rank that crashes ends them all, and the same
  // command continues. Requires: is_first().
  void share(const Work& work);

  // Computes lines until rank 0 has no more points. Requires: not is_first().
  void serve(const std::function<std::string(std::int64_t number)>& line_of);

 private:
  explicit Ranks(const WindtunnelRanks& ranks) : ranks_(ranks) {}
  bool next(int& from, std::string& message);
  void give_up();

  const WindtunnelRanks& ranks_;
  bool has_ended_ = false;
};

}  // namespace wt::sweep
