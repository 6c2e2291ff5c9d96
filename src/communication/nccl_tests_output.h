#pragma once
// Reads what the programs of nccl-tests print, as they print it: the table below its comment lines.
//
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
//   #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
//        1048576        262144     float     sum      -1    78.20   13.41   23.47      0    77.91   13.46   23.55      0
//
// The columns follow the header line, since they differ between versions and programs: older ones have "error" in place
// of "#wrong", and broadcast has no "redop". Lines of other programs, such as those of mpirun, are passed over, and so
// are the marks of mpirun and srun in front of a line (NVIDIA/nccl-tests, src/common.cu and doc/PERFORMANCE.md).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "collective/operation.h"

namespace wt::communication {

// One of the two measurements of a size.
struct MeasuredTime {
  Seconds time{};
  double algbw = 0;  // as printed, in 1e9 bytes per second
  double busbw = 0;
  std::optional<std::int64_t> wrong{};  // elements; absent: not checked
};

struct MeasuredRow {
  Bytes bytes{};
  std::int64_t count = 0;  // elements
  std::string type{};
  std::string reduction{};  // "sum", "none"; empty: the table has no such column
  std::int64_t root = -1;
  MeasuredTime out_of_place{};
  std::optional<MeasuredTime> in_place{};
};

struct MeasuredTable {
  std::string name{};                                // of the file, without its folder
  std::optional<collective::Operation> operation{};  // if the output says which program ran
  std::optional<std::int64_t> ranks{};               // if the output lists them
  std::optional<std::int64_t> machines{};            // on which these ranks ran
  std::optional<std::int64_t> driven{};              // devices of each process, by threads and -g
  std::vector<MeasuredRow> rows{};
};

// The operation that a text names: by a program of nccl-tests ("alltoall_perf"), with or without its suffix. Unset: none.
std::optional<collective::Operation> operation_of_program(std::string_view name);

// Throws InputError if the text has no such table, and at each line of the table that cannot be read.
MeasuredTable read_nccl_tests(const std::string& text, const std::string& file);

}  // namespace wt::communication
