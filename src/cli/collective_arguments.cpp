#include "cli/collective.h"

#include "cli/arguments.h"

namespace wt::cli {

namespace {

// The ranks, and how their processes are started.
void add_ranks(CLI::App& command, CollectiveOptions& options) {
  command.add_option("--ranks", options.ranks,
                     "Number of ranks, on the platform's first devices; default: all devices");
  command.add_option("--rank-order", options.rank_order,
                     "Device numbers, as in 0,4,1,5; or reversed; or by_rail, which alternates machines");
  command.add_option("--concurrent", options.concurrent,
                     "Number of groups that run at once; rank r joins group r modulo that number");
  CLI::Option* launch = command.add_option(
      "--launch", options.launch,
      "How processes are started: mpi, threads, torch, workers of TensorFlow, or profiler for the "
      "kernels alone; default: mpi");
  CLI::Option* driven = command.add_option("-g,--ngpus", options.devices_per_process,
                                           "Devices that each process drives, with a thread for each");
  command
      .add_option("--tiny-message", options.tiny_message,
                  "Measured time of a tiny all-reduce on the real system, as in 17us")
      ->excludes(launch)
      ->excludes(driven);
}

void add_sizes(CLI::App& command, CollectiveOptions& options) {
  CLI::Option* sizes =
      command.add_option("--sizes", options.sizes, "Sizes in bytes or with units, as in 1024,1MiB")
          ->delimiter(',');
  command.add_option("-b,--minbytes", options.begin, "Smallest size; default: 1KiB")->excludes(sizes);
  command.add_option("-e,--maxbytes", options.end, "Largest size; default: 1GiB")->excludes(sizes);
  command.add_option("-f,--stepfactor", options.factor, "Factor from one size to the next; default: 2")
      ->excludes(sizes);
  command.add_option("-d,--dtype,--datatype", options.type, "Element type; default: float32");
  command.add_option("-o,--redop", options.reduction,
                     "Reduction: sum, prod, max, min or avg, with equal times; default: sum");
  command.add_option("-r,--root", options.root, "Root rank; default: 0");
}

void add_output(CLI::App& command, CollectiveOptions& options) {
  CLI::Option* json = command.add_flag("--json", options.json, "Prints JSON");
  CLI::Option* csv = command.add_flag("--csv", options.csv, "Prints CSV");
  CLI::Option* links = command.add_flag("--links", options.links,
                                        "Prints the load of each link, at the last size of each algorithm");
  CLI::Option* schedule = command.add_flag("--print-schedule", options.schedule,
                                           "Prints the moves of the first size, and simulates nothing");
  CLI::Option* trace = command.add_option("--trace", options.trace,
                                          "Writes one collective as a Chrome trace, for ui.perfetto.dev");
  CLI::Option* dot = command.add_option(
      "--dot", options.dot, "Writes the moves of one collective and their dependencies for Graphviz");
  CLI::Option* measured =
      command
          .add_option("--measured", options.measured,
                      "Output of nccl-tests, as it is printed: lays it beside the predictions, at its sizes "
                      "unless others are given; may be repeated")
          ->type_name("FILE")
          ->allow_extra_args(false);
  CLI::Option* report = add_report_of_answer(command, options.report);
  command.add_option("--out", options.out, "Folder of the report, which is replaced; default: out/<name>")
      ->needs(report);
  CLI::Option* expanded =
      command.add_flag("--expanded", options.expanded,
                       "Simulates every move; default: only a part of them, if the rest follows from it");
  CLI::Option* folded =
      command.add_flag("--folded", options.folded, "Warns if every move has to be simulated");
  json->excludes(csv)->excludes(schedule);
  csv->excludes(schedule)->excludes(links)->excludes(measured);
  schedule->excludes(links)->excludes(trace)->excludes(dot)->excludes(report)->excludes(measured);
  expanded->excludes(folded);
}

void add_collective_arguments(CLI::App& command, CollectiveOptions& options) {
  command.add_option("--platform", options.platform, "The platform: a name or a file")->required();
  add_overrides(command, options.overrides);
  command.add_option("--op", options.operation, "Operation; default: all_reduce");
  command
      .add_option("--algorithm", options.algorithms,
                  "Names separated by commas, a file, all, or auto, the choice of the machine's library; "
                  "default: auto")
      ->delimiter(',');
  command
      .add_option("--option", options.options,
                  "An option of the algorithms, as in segments=4; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--protocol", options.protocol, "ll, ll128 or simple; default: the library's choice");
  command.add_option("--nccl-algo", options.nccl_algo,
                     "What the library may choose, as NCCL_ALGO says it: Ring,Tree, or ^NVLS,NVLSTree, or "
                     "allreduce:tree;broadcast:ring");
  command.add_option("--nccl-proto", options.nccl_proto,
                     "Likewise, as NCCL_PROTO says it: Simple, or ^LL128");
  command.add_option("--nccl-version", options.nccl_version,
                     "The library's version, as in 2.17: it has no algorithm or protocol of a later one");
  add_ranks(command, options);
  add_sizes(command, options);
  add_output(command, options);
}

}  // namespace

Command collective_command(CLI::App& program) {
  return declare(program, "collective", "Simulates a collective operation on a described machine",
                 run_collective, add_collective_arguments);
}

}  // namespace wt::cli
