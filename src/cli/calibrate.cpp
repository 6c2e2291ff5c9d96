// `windtunnel calibrate` measures the times of a scenario's kernels on this machine and writes them to a
// profile. What was measured elsewhere goes into a platform file (cli/calibrate_platform.cpp).

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/file.h"
#include "base/output/place.h"
#include "base/rough.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "cli/calibrate_platform.h"
#include "cli/commands.h"
#include "device/cpu/cpu_queue.h"
#include "device/cpu/host.h"
#include "execute/measure_copies.h"
#include "scenario/parse.h"
#include "session/compute_times.h"
#include "session/host_device.h"
#include "session/this_host.h"
#include "session/training.h"
#include "timing/step_clock.h"

namespace wt::cli {

namespace {

void print_host(const plan::ProfiledDevice& host, std::ostream& out) {
  out << fmt::format("this machine: {}; products of matrices {}, memory {}\n", name(host),
                     rough(host.rates->product), rough(host.rates->memory));
}

// Times of copies within the host's memory or, if GPUs compute, within and between their memories and the
// host's. The copies are made as in a step.
std::vector<plan::ProfiledCopy> copies_here(const scenario::Scenario& scenario, device::Workers& workers) {
  if (scenario.numerics != scenario::Numerics::cuda) {
    device::CpuQueue queue(workers);
    const execute::CopyPlace host{"host", &queue};
    return execute::measure_copies({&host, 1});
  }
  const std::vector<device::CudaDevice> gpus = session::host_gpus(scenario);
  const device::CudaTeam team = device::make_cuda_team(gpus, session::host_precision(scenario));
  std::vector<execute::CopyPlace> places;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    places.push_back({fmt::format("GPU {}", gpus[i].ordinal), team.members[i].compute.get()});
  return execute::measure_copies(places);
}

void print_copies(const std::vector<plan::ProfiledCopy>& copies, std::ostream& out) {
  std::vector<TableRow> lines{{"copies from", "to", "bytes", "median", "rate"}};
  for (const plan::ProfiledCopy& copy : copies)
    lines.push_back({copy.from, copy.to, rough(copy.bytes), rough(copy.seconds),
                     rough(BytesPerSecond(static_cast<double>(copy.bytes.count()) / copy.seconds.count()))});
  out << print_table(lines, "llrrr");
}

// A kernel call, how often a step makes it, its measured time, and its time by the roofline with this
// machine's rates.
struct Row {
  std::string call{};
  int times = 0;
  Seconds each{};
  Seconds roofline{};
};

std::vector<Row> rows_of(const plan::Plan& plan, const plan::Profile& profile) {
  const device::DeviceType host = plan::type_of(profile.device, device::host_memory());
  const std::vector<const device::DeviceType*> types(plan.devices.size(), &host);
  const plan::Costs roofline = plan::roofline(plan, types);
  std::map<std::string, Row> rows;
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const std::string call = call_of(plan, plan.nodes[id]);
    const auto found = profile.kernels.find(call);
    if (found == profile.kernels.end()) continue;
    Row& row = rows.try_emplace(call, Row{.call = call, .each = found->second}).first->second;
    ++row.times;
    row.roofline = roofline.nodes[id].seconds;
  }
  std::vector<Row> sorted;
  for (auto& [call, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted,
                           [](const Row& a, const Row& b) { return a.each * a.times > b.each * b.times; });
  return sorted;
}

constexpr std::size_t most_lines = 20;

// The text of a call lists all operands, and an optimizer's update has every variable among them.
std::string shortened(const std::string& call) {
  constexpr std::size_t longest = 100;
  return call.size() <= longest ? call : call.substr(0, longest - 4) + " ...";
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

void print_rows(const std::vector<Row>& rows, Seconds step, std::ostream& out) {
  std::vector<TableRow> lines{{"times", "median", "share", "roofline", "kernel"}};
  Seconds rest = step;
  for (const Row& row : std::span(rows).first(std::min(rows.size(), most_lines))) {
    const Seconds all = row.each * row.times;
    rest -= all;
    lines.push_back({std::to_string(row.times), rough(row.each), percent(all / step),
                     row.each > Seconds(0) ? percent(row.roofline / row.each) : "-", shortened(row.call)});
  }
  out << print_table(lines, "rrrrl");
  if (rows.size() > most_lines)
    out << fmt::format("and {} more, {} together\n",
                       counted(static_cast<std::int64_t>(rows.size() - most_lines), "kernel call"),
                       percent(rest / step));
}

void print_step(const plan::Plan& alone, const session::ComputeTimes& times, std::ostream& out) {
  const session::ComputeTimes::Rounds& rounds = times.rounds();
  print_rows(rows_of(alone, *times.profile()), rounds.expected, out);
  out << fmt::format("a step on one device: {} by the medians, {} as measured ({})\n", rough(rounds.expected),
                     rough(rounds.each), counted(rounds.count, "round"));
}

session::ComputeOptions compute_options(int threads, std::ostream& messages) {
  return {.threads = threads,
          .version = std::string(version()),
          .today = session::today(),
          .note = [&messages](const std::string& text) { messages << text << "\n"; }};
}

// Measures the rates of this machine's CPU and, if it has one, of its first GPU.
void calibrate_host(const CalibrateOptions& options, const Streams& streams) {
  scenario::Scenario scenario;
  device::Workers workers(session::threads_of(options.threads, scenario));
  const session::ComputeOptions compute = compute_options(workers.threads(), streams.messages);
  for (const auto numerics : {scenario::Numerics::cpu, scenario::Numerics::cuda}) {
    scenario.numerics = numerics;
    if (numerics == scenario::Numerics::cuda && device::find_cuda_devices().found.empty()) continue;
    const plan::ProfiledDevice device = session::host_device(scenario, workers.threads()).profiled;
    print_host(session::with_rates(device, *session::host_device_queue(scenario, workers), compute),
               streams.results);
    print_copies(copies_here(scenario, workers), streams.results);
  }
}

}  // namespace

Exit calibrate(const CalibrateOptions& options, const Streams& streams) {
  if (takes_measurements(options)) return calibrate_platform(options, streams);
  session::pin_isa(options.isa);
  if (options.file.empty()) {
    calibrate_host(options, streams);
    return Exit::done;
  }
  scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  if (!options.as.empty()) output::require_writable(options.as, "--as");
  // The scenario may name the profile that this command is about to write.
  scenario.time.compute = {scenario::Compute::measured};
  device::Workers workers(session::threads_of(options.threads, scenario));
  session::ComputeTimes times(scenario, compute_options(workers.threads(), streams.messages));
  session::Training training(scenario, scenario::build(scenario), {.threads = 1});
  print_warnings(training.machine(), streams.messages);
  const std::vector<plan::Plan> plans = training.clock().timed_plans();
  for (const plan::Plan& plan : plans)
    times.measure(
        plan, timing::types_of(*training.machine().platform, timing::endpoints_of(plan, training.machine())));
  plan::Profile profile = times.profile().value();
  profile.copies = copies_here(scenario, workers);
  print_host(profile.device, streams.results);
  print_step(plans.front(), times, streams.results);
  print_copies(profile.copies, streams.results);
  if (options.as.empty()) return Exit::done;
  write_text(options.as, print(profile));
  streams.results << fmt::format("{} in {}\n", counted(std::ssize(profile.kernels), "kernel call"),
                                 options.as);
  return Exit::done;
}

namespace {

void add_measurements(CLI::App& command, CalibrateOptions& options) {
  CLI::Option* steps =
      command
          .add_option("--step", options.steps,
                      "Measured time of the scenario's step with so many replicas, as in 8=118ms; may be "
                      "repeated")
          ->type_name("REPLICAS=TIME")
          ->allow_extra_args(false);
  CLI::Option* platform = command.add_option("--platform", options.platform,
                                             "The machines on which nccl-tests ran: a name or a file");
  CLI::Option* nccl =
      command.add_option("--nccl", options.nccl, "Output of nccl-tests, as it is printed; may be repeated")
          ->type_name("FILE")
          ->allow_extra_args(false)
          ->excludes(steps)
          ->needs(platform);
  platform->needs(nccl);
  command
      .add_option("--launch", options.launch,
                  "How nccl-tests started its processes: mpi, threads or torch; default: by its output")
      ->needs(nccl);
  command
      .add_option("--ranks", options.ranks,
                  "Number of ranks where the output of nccl-tests doesn't list them; default: all devices")
      ->needs(nccl);
}

}  // namespace

Command calibrate_command(CLI::App& program) {
  return declare(
      program, "calibrate",
      "Measures the times of a scenario's kernels on this machine, or takes what you measured elsewhere",
      calibrate, [](CLI::App& command, CalibrateOptions& options) {
        command.add_option("FILE", options.file, "The scenario; default: measures only this machine's rates");
        add_overrides(command, options.overrides);
        command.add_option("--as", options.as,
                           "The file to write: a profile of this machine, for \"time\": {\"compute\": "
                           "{\"profile\": ...}}; with --step or --nccl a platform with what was measured");
        command.add_option("--threads", options.threads, "Number of threads on this machine's CPU");
        add_isa(command, options.isa);
        add_measurements(command, options);
      });
}

}  // namespace wt::cli
