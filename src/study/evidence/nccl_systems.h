#pragma once
// The systems whose collectives were published: which platform of this program each of them is, and how its program
// was started.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collective/operation.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

struct NcclSystem {
  std::string name{};                    // in tables
  std::string system{};                  // a part of the row's system
  std::string platform{};                // the name of a platform
  std::vector<std::string> overrides{};  // of the platform, such as "machines=2"
  // How the program was started. Where the source doesn't state it, it is chosen by the times of small messages.
  std::string launch = "mpi";
  std::string algorithm{};  // that the run forced, by NCCL's name; empty: NCCL's choice
  bool has_ll128 = true;    // The protocol LL128 exists since NCCL 2.5.
  bool has_stalls =
      false;  // Some rows contain stalls of 500 us, so the lower of the two time columns counts.
  // Of the rows; 0: any. One source may have rows of several numbers of devices and nodes.
  int devices = 0;
  int nodes = 0;
  // Each row says by itself how many devices took part, and begins its strategy with the algorithm of its run.
  bool by_row = false;
};

// The systems of these rows, in the order of the table in nccl_systems.cpp. A row whose system isn't in that table may
// name a platform of this program: its machines are the row's nodes, and its ranks the row's devices. They follow in
// the order of the rows.
std::vector<NcclSystem> nccl_systems(const std::vector<Measurement>& rows);

// How many rows of collectives each system has that is neither in that table nor a platform.
std::map<std::string, int> unknown_nccl_systems(const std::vector<Measurement>& rows);

// The algorithm with which the row's strategy begins, by NCCL's name: "Ring (forced)". Empty: none.
std::string algorithm_of(const Measurement& row);

// Whether the row is one of this system.
bool is_of(const Measurement& row, const NcclSystem& system);

// The operation of a row: the name of a program of nccl-tests or of an operation of this program, before the bracket
// in "all_reduce(sum)". Unset: the row is no collective.
std::optional<collective::Operation> operation_of(const Measurement& row);

}  // namespace wt::evidence
